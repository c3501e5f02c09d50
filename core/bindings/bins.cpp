#include "learners/boosting/bins.hpp"

#include "bindings/matrices.hpp"

using namespace directrank;

namespace {

// Checks the bin offsets of `n_features` features, each with at least one bin.
void check_starts(Span<const Index> starts, Index n_features) {
    if (starts.empty()) throw std::invalid_argument("bins must start somewhere");
    check_length(n_features + 1, {starts.size()});
    check_offsets(starts, starts.back());
    for (Index j = 0; j < n_features; ++j)
        if (starts[j] == starts[j + 1]) throw std::invalid_argument("a feature without a bin");
}

template <class T, class Bin>
void bin(Dense<T> X, Span<const Index> order, Span<const double> thresholds, Span<const Index> starts, Grid<Bin> table) {
    check_permutation(order, X.rows());
    check_starts(starts, X.columns());
    check_length(starts.back() - X.columns(), {thresholds.size()});
    check_length(X.rows(), {table.rows()});
    check_length(X.columns(), {table.columns()});
    bins::bin(X, order, thresholds, starts, table);
}

template <class T, class I, class Bin>
void bin_sparse(Span<const T> data, Span<const I> indices, Span<const double> thresholds, Span<const Index> starts,
                Span<Bin> table) {
    const Index n_features = starts.size() - 1;
    check_starts(starts, n_features);
    check_length(starts.back() - n_features, {thresholds.size()});
    check_length(data.size(), {indices.size(), table.size()});
    check_range(indices, 0, n_features);
    bins::bin(data, indices, thresholds, starts, table);
}

template <class Bin>
Array<double> sums(Grid<const Bin> table, Span<const Index> starts, Span<const double> values, Index n_parts) {
    check_starts(starts, table.columns());
    check_length(table.rows(), {values.size()});
    check_parts(n_parts);
    return bins::sums(table, starts, values, n_parts);
}

template <class Bin, class I>
Array<double> sums_sparse(Span<const Bin> table, Span<const I> indices, Span<const I> indptr, Index n_columns,
                          Span<const Index> order, Span<const Index> starts, Span<const double> values, Index n_parts) {
    const auto bins = csr(table, indices, indptr, n_columns);
    check_permutation(order, bins.rows());
    check_starts(starts, n_columns);
    check_length(bins.rows(), {values.size()});
    check_parts(n_parts);
    return bins::sums(bins, order, starts, values, n_parts);
}

template <class Bin>
void bind(nb::module_& m) {
    m.def("bin", &bin<float, Bin>, released);
    m.def("bin", &bin<double, Bin>, released);
    m.def("bin", &bin_sparse<float, std::int32_t, Bin>, released);
    m.def("bin", &bin_sparse<float, std::int64_t, Bin>, released);
    m.def("bin", &bin_sparse<double, std::int32_t, Bin>, released);
    m.def("bin", &bin_sparse<double, std::int64_t, Bin>, released);
    m.def("sums", &sums<Bin>, released);
    m.def("sums", &sums_sparse<Bin, std::int32_t>, released);
    m.def("sums", &sums_sparse<Bin, std::int64_t>, released);
}

}  // namespace

DIRECTRANK_KERNELS(bins) {
    bind<std::uint8_t>(m);
    bind<std::uint16_t>(m);
    bind<std::uint32_t>(m);
    m.def(
        "suffix_sums",
        [](Span<const double> sums, Span<const Index> starts) {
            check_starts(starts, starts.size() - 1);
            check_length(starts.back(), {sums.size()});
            return bins::suffix_sums(sums, starts);
        },
        released);
}

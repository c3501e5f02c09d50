#include "learners/linear/spread.hpp"

#include "bindings/matrices.hpp"

using namespace directrank;

namespace {

spread::Queries checked(Index n_rows, Span<const Index> order, Span<const Index> offsets, Span<const double> weights) {
    check_queries(offsets, {order.size()});
    check_length(offsets.size() - 1, {weights.size()});
    check_range(order, 0, n_rows);
    return {order, offsets, weights};
}

template <class T>
Array<double> deviations(Dense<T> X, Span<const Index> order, Span<const Index> offsets, Span<const double> weights,
                         Span<const double> units, Index n_parts) {
    check_length(X.columns(), {units.size()});
    check_parts(n_parts);
    return spread::deviations(X, checked(X.rows(), order, offsets, weights), units, n_parts);
}

template <class T, class I>
Array<double> deviations_sparse(Span<const T> data, Span<const I> indices, Span<const I> indptr, Index n_columns,
                                Span<const Index> order, Span<const Index> offsets, Span<const double> weights,
                                Span<const double> units, Index n_parts) {
    const auto X = checked_csr(data, indices, indptr, n_columns);
    check_length(n_columns, {units.size()});
    check_parts(n_parts);
    return spread::deviations(X, checked(X.rows(), order, offsets, weights), units, n_parts);
}

}  // namespace

DIRECTRANK_KERNELS(spread) {
    m.def("deviations", &deviations<float>, released);
    m.def("deviations", &deviations<double>, released);
    m.def("deviations", &deviations_sparse<float, std::int32_t>, released);
    m.def("deviations", &deviations_sparse<float, std::int64_t>, released);
    m.def("deviations", &deviations_sparse<double, std::int32_t>, released);
    m.def("deviations", &deviations_sparse<double, std::int64_t>, released);
}

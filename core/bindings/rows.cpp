#include "matrix/rows.hpp"

#include "bindings/matrices.hpp"

using namespace directrank;

namespace {

template <class T>
Array<double> scores(Dense<T> X, Span<const double> w) {
    check_length(X.columns(), {w.size()});
    return rows::scores(X, w);
}

template <class T>
Array<double> combine(Dense<T> X, Span<const double> coefficients, Index n_parts) {
    check_length(X.rows(), {coefficients.size()});
    check_parts(n_parts);
    return rows::combine(X, coefficients, n_parts);
}

template <class T, class I>
Array<double> scores_sparse(Span<const T> data, Span<const I> indices, Span<const I> indptr, Index n_columns,
                            Span<const double> w) {
    check_length(n_columns, {w.size()});
    return rows::scores(csr(data, indices, indptr, n_columns), w);
}

template <class T, class I>
Array<double> combine_sparse(Span<const T> data, Span<const I> indices, Span<const I> indptr, Index n_columns,
                             Span<const double> coefficients, Index n_parts) {
    const auto X = csr(data, indices, indptr, n_columns);
    check_length(X.rows(), {coefficients.size()});
    check_parts(n_parts);
    return rows::combine(X, coefficients, n_parts);
}

template <class T>
void bind(nb::module_& m) {
    m.def("scores", &scores<T>, released);
    m.def("combine", &combine<T>, released);
    m.def("scores", &scores_sparse<T, std::int32_t>, released);
    m.def("scores", &scores_sparse<T, std::int64_t>, released);
    m.def("combine", &combine_sparse<T, std::int32_t>, released);
    m.def("combine", &combine_sparse<T, std::int64_t>, released);
}

}  // namespace

DIRECTRANK_KERNELS(rows) {
    bind<float>(m);
    bind<double>(m);
}

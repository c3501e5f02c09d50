#include "matrix/linear_operator.hpp"

#include "bindings/matrices.hpp"

using namespace directrank;

namespace {

template <class T>
Array<double> matvec(Dense<T> X, Span<const double> w) {
    check_length(X.columns(), {w.size()});
    return linear_operator::matvec(X, w);
}

template <class T>
Array<double> rmatvec(Dense<T> X, Span<const Index> order, Span<const double> coefficients, Index n_parts) {
    check_permutation(order, X.rows());
    check_length(X.rows(), {coefficients.size()});
    check_parts(n_parts);
    return linear_operator::rmatvec(X, order, coefficients, n_parts);
}

template <class T, class I>
Array<double> matvec_sparse(Span<const T> data, Span<const I> indices, Span<const I> indptr, Index n_columns,
                            Span<const double> w) {
    check_length(n_columns, {w.size()});
    return linear_operator::matvec(csr(data, indices, indptr, n_columns), w);
}

template <class T, class I>
Array<double> rmatvec_sparse(Span<const T> data, Span<const I> indices, Span<const I> indptr, Index n_columns,
                             Span<const Index> order, Span<const double> coefficients, Index n_parts) {
    const auto X = csr(data, indices, indptr, n_columns);
    check_permutation(order, X.rows());
    check_length(X.rows(), {coefficients.size()});
    check_parts(n_parts);
    return linear_operator::rmatvec(X, order, coefficients, n_parts);
}

template <class T>
void bind(nb::module_& m) {
    m.def("matvec", &matvec<T>, released);
    m.def("rmatvec", &rmatvec<T>, released);
    m.def("matvec", &matvec_sparse<T, std::int32_t>, released);
    m.def("matvec", &matvec_sparse<T, std::int64_t>, released);
    m.def("rmatvec", &rmatvec_sparse<T, std::int32_t>, released);
    m.def("rmatvec", &rmatvec_sparse<T, std::int64_t>, released);
}

}  // namespace

DIRECTRANK_KERNELS(linear_operator) {
    bind<float>(m);
    bind<double>(m);
}

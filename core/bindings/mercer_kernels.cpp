#include "matrix/mercer_kernels.hpp"

#include "bindings/matrices.hpp"

using namespace directrank;

namespace {

Table<double> products(Grid<const double> X, Grid<const double> Y) {
    check_length(X.columns(), {Y.columns()});
    return mercer_kernels::products(X, Y);
}

Table<double> distances(Grid<const double> X, Grid<const double> Y) {
    check_length(X.columns(), {Y.columns()});
    return mercer_kernels::distances(X, Y);
}

template <class I, class J>
Table<double> products_sparse(Span<const double> data, Span<const I> indices, Span<const I> indptr, Index n_columns,
                              Span<const double> other_data, Span<const J> other_indices, Span<const J> other_indptr,
                              Index other_n_columns) {
    check_length(n_columns, {other_n_columns});
    return mercer_kernels::products(checked_csr(data, indices, indptr, n_columns),
                                      checked_csr(other_data, other_indices, other_indptr, other_n_columns));
}

template <class I, class J>
Table<double> distances_sparse(Span<const double> data, Span<const I> indices, Span<const I> indptr, Index n_columns,
                               Span<const double> other_data, Span<const J> other_indices, Span<const J> other_indptr,
                               Index other_n_columns) {
    check_length(n_columns, {other_n_columns});
    return mercer_kernels::distances(checked_csr(data, indices, indptr, n_columns),
                                       checked_csr(other_data, other_indices, other_indptr, other_n_columns));
}

template <class I, class J>
void bind(nb::module_& m) {
    m.def("products", &products_sparse<I, J>, released);
    m.def("distances", &distances_sparse<I, J>, released);
}

}  // namespace

DIRECTRANK_KERNELS(mercer_kernels) {
    m.def("products", &products, released);
    m.def("distances", &distances, released);
    bind<std::int32_t, std::int32_t>(m);
    bind<std::int32_t, std::int64_t>(m);
    bind<std::int64_t, std::int32_t>(m);
    bind<std::int64_t, std::int64_t>(m);
    m.def("to_rbf", &mercer_kernels::to_rbf, released);
    m.def(
        "to_poly",
        [](Grid<double> products, double gamma, double coef0, Index degree) {
            if (degree < 0) throw std::invalid_argument("a negative degree");
            mercer_kernels::to_poly(products, gamma, coef0, degree);
        },
        released);
}

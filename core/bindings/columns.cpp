#include "matrix/columns.hpp"

#include "bindings/matrices.hpp"

using namespace directrank;

namespace {

template <class T>
Table<double> transposed(Dense<T> X, Index start, Index end, Span<const Index> permutation) {
    if (start < 0 || start > end || end > X.columns()) throw std::invalid_argument("columns that X does not have");
    check_permutation(permutation, X.rows());
    return columns::transposed(X, start, end, permutation);
}

}  // namespace

DIRECTRANK_KERNELS(columns) {
    m.def("transposed", &transposed<float>, released);
    m.def("transposed", &transposed<double>, released);
}

#include "matrix/csr.hpp"

#include "bindings/matrices.hpp"

using namespace directrank;

namespace {

// Checks the arrays of a CSR matrix; returns whether the indices of each row ascend.
template <class I>
bool check(Span<const I> indices, Span<const I> indptr, Index n_columns) {
    if (n_columns < 0) throw std::invalid_argument("a negative number of columns");
    check_offsets(indptr, indices.size());
    const auto found = check_indices(indices, indptr, n_columns);
    if (!found.is_valid) throw std::invalid_argument("an index that is not below the number of columns, or negative");
    return found.is_canonical;
}

}  // namespace

DIRECTRANK_KERNELS(csr) {
    m.def("check", &check<std::int32_t>, released);
    m.def("check", &check<std::int64_t>, released);
}

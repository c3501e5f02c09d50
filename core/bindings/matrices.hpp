// Matrix arguments: a `Dense<T>` accepts a two-dimensional NumPy array of this type in any layout; a CSR matrix is passed as
// its three arrays and its number of columns.
#pragma once

#include "bindings/kernels.hpp"
#include "matrix/csr.hpp"
#include "matrix/dense.hpp"

namespace directrank {

// A CSR matrix whose indices have been checked against `n_columns` by `as_csr`.
template <class T, class I>
Csr<T, I> csr(Span<const T> data, Span<const I> indices, Span<const I> indptr, Index n_columns) {
    check_length(indices.size(), {data.size()});
    check_offsets(indptr, indices.size());
    if (n_columns < 0) throw std::invalid_argument("a negative number of columns");
    return {data, indices, indptr, n_columns};
}

// A CSR matrix with its indices checked, for kernels that take much longer than the check.
template <class T, class I>
Csr<T, I> checked_csr(Span<const T> data, Span<const I> indices, Span<const I> indptr, Index n_columns) {
    const auto matrix = csr(data, indices, indptr, n_columns);
    check_range(indices, 0, n_columns);
    return matrix;
}

// Checks a permutation of rows, which is empty if they are in order.
inline void check_permutation(Span<const Index> permutation, Index n_rows) {
    if (permutation.empty()) return;
    check_length(n_rows, {permutation.size()});
    check_range(permutation, 0, n_rows);
}

// Checks the number of parts of a sum.
inline void check_parts(Index n_parts) {
    if (n_parts < 1 || n_parts > 1024)
        throw std::invalid_argument("a sum has 1 to 1024 parts, not " + std::to_string(n_parts));
}

}  // namespace directrank

namespace nanobind::detail {

template <class T>
struct type_caster<directrank::Dense<T>> {
    using Source = make_caster<ndarray<const T, ndim<2>, device::cpu>>;
    NB_TYPE_CASTER(directrank::Dense<T>, Source::Name)
    Source source;
    object owner;
    bool from_python(handle src, uint32_t flags, cleanup_list* cleanup) noexcept {
        if (!take_array(source, owner, src, flags, cleanup, true)) return false;
        const auto& array = source.value;
        value = {array.data(), static_cast<directrank::Index>(array.shape(0)),
                 static_cast<directrank::Index>(array.shape(1)), array.stride(0), array.stride(1)};
        return true;
    }
};

}  // namespace nanobind::detail

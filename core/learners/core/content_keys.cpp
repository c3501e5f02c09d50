#include "learners/core/content_keys.hpp"

#include "clones.hpp"

namespace directrank::content_keys {
namespace {

template <class T>
inline std::uint64_t sum_of_keys(const T* row, Index stride, Index n, const std::uint64_t* column_keys) {
    std::uint64_t total = 0;
    for (Index j = 0; j < n; ++j) total += key_of(column_keys[j], row[j * stride]);
    return total;
}

template <class T, class I>
inline std::uint64_t sum_of_keys(const T* values, const I* columns, Index n) {
    std::uint64_t total = 0;
    for (Index k = 0; k < n; ++k) total += key_of(column_key(columns[k]), values[k]);
    return total;
}

}  // namespace

DIRECTRANK_CLONES
void mix_all(const std::uint64_t* keys, Index n, std::uint64_t* __restrict mixed) {
    DIRECTRANK_UNROLL
    for (Index i = 0; i < n; ++i) mixed[i] = mix(keys[i]);
}

DIRECTRANK_CLONES
std::uint64_t row_key(const float* row, Index stride, Index n, const std::uint64_t* column_keys) {
    return stride == 1 ? sum_of_keys(row, 1, n, column_keys) : sum_of_keys(row, stride, n, column_keys);
}

DIRECTRANK_CLONES
std::uint64_t row_key(const double* row, Index stride, Index n, const std::uint64_t* column_keys) {
    return stride == 1 ? sum_of_keys(row, 1, n, column_keys) : sum_of_keys(row, stride, n, column_keys);
}

DIRECTRANK_CLONES
std::uint64_t entries_key(const float* values, const std::int32_t* columns, Index n) {
    return sum_of_keys(values, columns, n);
}

DIRECTRANK_CLONES
std::uint64_t entries_key(const float* values, const std::int64_t* columns, Index n) {
    return sum_of_keys(values, columns, n);
}

DIRECTRANK_CLONES
std::uint64_t entries_key(const double* values, const std::int32_t* columns, Index n) {
    return sum_of_keys(values, columns, n);
}

DIRECTRANK_CLONES
std::uint64_t entries_key(const double* values, const std::int64_t* columns, Index n) {
    return sum_of_keys(values, columns, n);
}

}  // namespace directrank::content_keys

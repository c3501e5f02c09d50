#include "learners/content_order.hpp"

#include "clones.hpp"

namespace directrank::content_order {
namespace {

template <class T>
inline std::uint64_t sum_of_keys(const T* row, Index stride, Index n, const std::uint64_t* column_keys) {
    std::uint64_t total = 0;
    for (Index j = 0; j < n; ++j) {
        const double value = row[j * stride];
        const std::uint64_t key = mix(bits_of(value) + column_keys[j]);
        total += value == 0 ? 0 : key;
    }
    return total;
}

}  // namespace

DIRECTRANK_CLONES
void mix_all(const std::uint64_t* keys, Index n, std::uint64_t* __restrict mixed) {
    for (Index i = 0; i < n; ++i) mixed[i] = mix(keys[i]);
}

DIRECTRANK_CLONES
std::uint64_t key_of_row(const float* row, Index stride, Index n, const std::uint64_t* column_keys) {
    return stride == 1 ? sum_of_keys(row, 1, n, column_keys) : sum_of_keys(row, stride, n, column_keys);
}

DIRECTRANK_CLONES
std::uint64_t key_of_row(const double* row, Index stride, Index n, const std::uint64_t* column_keys) {
    return stride == 1 ? sum_of_keys(row, 1, n, column_keys) : sum_of_keys(row, stride, n, column_keys);
}

}  // namespace directrank::content_order

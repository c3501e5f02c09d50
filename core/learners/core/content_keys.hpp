// Hashes of rows that are the same for dense and sparse; see learners/core/content_keys.py.
#pragma once

#include "elementary.hpp"
#include "evaluation/random_words.hpp"
#include "matrix/csr.hpp"
#include "matrix/dense.hpp"
#include "thread_pool.hpp"

namespace directrank::content_keys {

using random_words::mix;

// The bits that stand for a value: all NaN are the same.
inline std::uint64_t bits_of(double value) { return value == value ? to_bits(value) : 0x7FF8000000000000u; }

inline std::uint64_t key_of_column(Index column) { return mix(static_cast<std::uint64_t>(column) + 1); }

// 0 for a value of 0, which a sparse row does not hold.
inline std::uint64_t key_of(std::uint64_t column_key, double value) {
    const std::uint64_t key = mix(bits_of(value) + column_key);
    return value == 0 ? 0 : key;
}

// Each key as another one.
void mix_all(const std::uint64_t* keys, Index n, std::uint64_t* mixed);

// The sum of the keys of a row's values, which are `stride` apart.
std::uint64_t key_of_row(const float* row, Index stride, Index n, const std::uint64_t* column_keys);
std::uint64_t key_of_row(const double* row, Index stride, Index n, const std::uint64_t* column_keys);

// The sum of the keys of entries.
std::uint64_t key_of_entries(const float* values, const std::int32_t* columns, Index n);
std::uint64_t key_of_entries(const float* values, const std::int64_t* columns, Index n);
std::uint64_t key_of_entries(const double* values, const std::int32_t* columns, Index n);
std::uint64_t key_of_entries(const double* values, const std::int64_t* columns, Index n);

template <class T>
Array<std::uint64_t> row_keys(const Dense<T>& X) {
    Array<std::uint64_t> keys(X.rows()), column_keys(X.columns());
    for (Index j = 0; j < X.columns(); ++j) column_keys[j] = key_of_column(j);
    for_each_block(X.rows(), 128, [&](Index first, Index last) {
        for (Index i = first; i < last; ++i)
            keys[i] = key_of_row(X.row(i), X.column_stride(), X.columns(), column_keys.data());
    });
    return keys;
}

template <class T, class I>
Array<std::uint64_t> row_keys(const Csr<T, I>& X) {
    Array<std::uint64_t> keys(X.rows());
    for_each_block(X.rows(), 128, [&](Index first, Index last) {
        for (Index i = first; i < last; ++i)
            keys[i] = key_of_entries(X.data.data() + X.start(i), X.indices.data() + X.start(i), X.end(i) - X.start(i));
    });
    return keys;
}

}  // namespace directrank::content_keys

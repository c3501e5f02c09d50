// Hashes of rows, equal for dense and sparse X; see learners/core/content_keys.py.
#pragma once

#include <algorithm>
#include <numeric>

#include "elementary.hpp"
#include "evaluation/random_words.hpp"
#include "for_each_query.hpp"
#include "matrix/csr.hpp"
#include "matrix/dense.hpp"
#include "thread_pool.hpp"

namespace directrank::content_keys {

using random_words::mix;

// Bits of a value; all NaN have the same.
inline std::uint64_t canonical_bits(double value) { return value == value ? to_bits(value) : 0x7FF8000000000000u; }

inline std::uint64_t column_key(Index column) { return mix(static_cast<std::uint64_t>(column) + 1); }

// Key of a value; 0 for 0, which a sparse row does not store.
inline std::uint64_t key_of(std::uint64_t column_key, double value) {
    const std::uint64_t key = mix(canonical_bits(value) + column_key);
    return value == 0 ? 0 : key;
}

// Mixes each key.
void mix_all(const std::uint64_t* keys, Index n, std::uint64_t* mixed);

// Sum of the keys of a row's values, which are `stride` apart.
std::uint64_t row_key(const float* row, Index stride, Index n, const std::uint64_t* column_keys);
std::uint64_t row_key(const double* row, Index stride, Index n, const std::uint64_t* column_keys);

// Sum of the keys of the entries of a sparse row.
std::uint64_t entries_key(const float* values, const std::int32_t* columns, Index n);
std::uint64_t entries_key(const float* values, const std::int64_t* columns, Index n);
std::uint64_t entries_key(const double* values, const std::int32_t* columns, Index n);
std::uint64_t entries_key(const double* values, const std::int64_t* columns, Index n);

template <class T>
Array<std::uint64_t> row_keys(const Dense<T>& X) {
    Array<std::uint64_t> keys(X.rows()), column_keys(X.columns());
    for (Index j = 0; j < X.columns(); ++j) column_keys[j] = column_key(j);
    for_each_block(X.rows(), 128, [&](Index first, Index last) {
        for (Index i = first; i < last; ++i)
            keys[i] = row_key(X.row(i), X.column_stride(), X.columns(), column_keys.data());
    });
    return keys;
}

template <class T, class I>
Array<std::uint64_t> row_keys(const Csr<T, I>& X) {
    Array<std::uint64_t> keys(X.rows());
    for_each_block(X.rows(), 128, [&](Index first, Index last) {
        for (Index i = first; i < last; ++i)
            keys[i] = entries_key(X.data.data() + X.start(i), X.indices.data() + X.start(i), X.end(i) - X.start(i));
    });
    return keys;
}

// For each query, the places of its documents in ascending order of their keys, and of their places where keys are equal.
inline Array<Index> order_within(Span<const std::uint64_t> keys, Span<const Index> offsets) {
    Array<Index> order(keys.size());
    for_each_query(offsets, [&](Index, Index start, Index end) {
        std::iota(order.begin() + start, order.begin() + end, start);
        std::sort(order.begin() + start, order.begin() + end,
                  [&](Index a, Index b) { return keys[a] != keys[b] ? keys[a] < keys[b] : a < b; });
    });
    return order;
}

}  // namespace directrank::content_keys

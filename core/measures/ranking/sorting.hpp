// Sorting of a query's documents by descending score. Sorts are stable: tied documents keep their order.
#pragma once

#include "radix_sort.hpp"
#include "span.hpp"

namespace directrank::sorting {

// Queries with at most this many documents are sorted by comparing all pairs.
constexpr Index BLOCK = 256;

// Keys that a vector holds; arrays of a block have room for a whole number of lines.
constexpr Index LINE = 16;

// Counts, in single precision, the keys larger than each of up to BLOCK; NaN counts as -inf.
void count_larger(const double* keys, Index n, std::int32_t* larger);

inline bool is_ranked(Span<const double> scores) {
    Index i = 1;
    while (i < scores.size() && scores[i] <= scores[i - 1]) ++i;
    return i >= scores.size();
}

// Puts each key at the position given by the number of larger keys: n^2 comparisons, but without branches, and vectorised.
//
// They are made in single precision, with twice as many to a vector; a last pass corrects the effects of rounding.
template <class Value>
void sort_block(Span<const double> keys, Span<const Value> values, Span<double> sorted_keys, Span<Value> sorted_values) {
    const Index n = keys.size();
    alignas(64) std::int32_t larger[BLOCK];
    std::int32_t taken[BLOCK];
    count_larger(keys.data(), n, larger);
    std::fill_n(taken, n, 0);
    for (Index j = 0; j < n; ++j) {
        const Index at = larger[j] + taken[larger[j]]++;
        sorted_keys[at] = keys[j], sorted_values[at] = values[j];
    }
    for (Index i = 1; i < n; ++i) {
        const double key = sorted_keys[i];
        if (!(sorted_keys[i - 1] < key)) continue;
        const Value value = sorted_values[i];
        Index at = i;
        for (; at > 0 && sorted_keys[at - 1] < key; --at)
            sorted_keys[at] = sorted_keys[at - 1], sorted_values[at] = sorted_values[at - 1];
        sorted_keys[at] = key, sorted_values[at] = value;
    }
}

// Writes the stable descending argsort of one query's scores.
inline void descending_order(Span<const double> scores, Span<Index> order) {
    if (scores.size() > BLOCK) return radix_sort::stable_descending_order(scores, order);
    Index numbers[BLOCK];
    double sorted[BLOCK];
    for (Index i = 0; i < scores.size(); ++i) numbers[i] = i;
    sort_block<Index>(scores, {numbers, scores.size()}, {sorted, scores.size()}, order);
}

inline Array<Index> descending_order(Span<const double> scores) {
    Array<Index> order(scores.size());
    descending_order(scores, order);
    return order;
}

// One query by descending score.
struct Ranking {
    Array<double> scores;
    Array<Index> order;
    explicit Ranking(Span<const double> unranked) : scores(unranked.size()), order(unranked.size()) {
        const Index n = unranked.size();
        if (n > BLOCK) {
            descending_order(unranked, order);
            for (Index rank = 0; rank < n; ++rank) scores[rank] = unranked[order[rank]];
            return;
        }
        Index numbers[BLOCK];
        for (Index i = 0; i < n; ++i) numbers[i] = i;
        sort_block<Index>(unranked, {numbers, n}, scores, order);
    }
};

// Documents of one query by descending score, ties by ascending grade.
inline Array<Index> worst_order(Span<const double> scores, Span<const double> grades) {
    const Index n = scores.size();
    Array<double> keys(n);
    for (Index i = 0; i < n; ++i) keys[i] = -grades[i];
    const Array<Index> by_grade = descending_order(keys);
    for (Index i = 0; i < n; ++i) keys[i] = scores[by_grade[i]];
    Array<Index> order = descending_order(keys);
    for (Index& document : order) document = by_grade[document];
    return order;
}

// Sorts keys, and the values that go with them, by descending key, stably.
template <class Value>
void sort_descending(Span<const double> keys, Span<const Value> values, Span<double> sorted_keys,
                     Span<Value> sorted_values) {
    if (keys.size() <= BLOCK) return sort_block(keys, values, sorted_keys, sorted_values);
    const auto numbered = radix_sort::sort_descending(keys);
    for (Index i = 0; i < keys.size(); ++i) {
        const Index document = radix_sort::number(numbered[i]);
        sorted_keys[i] = keys[document], sorted_values[i] = values[document];
    }
}

}  // namespace directrank::sorting

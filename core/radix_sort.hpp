// Sorting by digits: stable, in linear time, and without branches to mispredict.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "elementary.hpp"
#include "span.hpp"

namespace directrank::radix_sort {

// An integer in the upper half, the number of its document in the lower.
using Numbered = std::uint64_t;

inline Index number(Numbered numbered) { return static_cast<Index>(numbered & 0xFFFFFFFFu); }
inline std::uint32_t integer(Numbered numbered) { return static_cast<std::uint32_t>(numbered >> 32); }

// Sorts documents that stand in some order by integers of theirs, stably: by the lowest 11 bits, then the next 11, then the rest.
// `integer_of(document)` is below 2^32; with n_digits of 2 it is below 2^22.
template <class IntegerOf>
Array<Numbered> sort_by_digits(Span<const Index> order, int n_digits, const IntegerOf& integer_of) {
    const Index n = order.size();
    Array<Numbered> numbered(n), sorted(n);
    // Counts stand one to the right, so that their sums are where a digit begins.
    auto places = Table<Index>::zeros(3, 2049);
    Index *low = places[0].data(), *middle = places[1].data(), *high = places[2].data();
    for (Index i = 0; i < n; ++i) {
        const std::uint64_t value = static_cast<std::uint32_t>(integer_of(order[i]));
        numbered[i] = value << 32 | static_cast<std::uint64_t>(order[i]);
        ++low[(value & 2047) + 1];
        ++middle[(value >> 11 & 2047) + 1];
        ++high[(value >> 22) + 1];
    }
    for (int digit = 0; digit < n_digits; ++digit) {
        Index* place = places[digit].data();
        for (int value = 0; value < 2047; ++value) place[value + 1] += place[value];
        const int shift = 32 + 11 * digit;
        for (const Numbered one : numbered) sorted[place[one >> shift & 2047]++] = one;
        std::swap(numbered, sorted);
    }
    return numbered;
}

// Writes the numbers of sorted documents to an order.
inline void take_numbers(Span<const Numbered> numbered, Span<Index> order) {
    for (Index i = 0; i < order.size(); ++i) order[i] = number(numbered[i]);
}

// Puts runs of equal integers in order by insertion; false if that would take long.
inline bool compare_in_runs(Span<const double> keys, Span<Numbered> numbered) {
    Index moves_left = 8 * numbered.size();
    for (Index i = 1; i < numbered.size(); ++i) {
        const Numbered mine = numbered[i];
        if (integer(numbered[i - 1]) != integer(mine)) continue;
        const double key = keys[number(mine)];
        Index at = i;
        for (; at > 0 && integer(numbered[at - 1]) == integer(mine) && keys[number(numbered[at - 1])] < key; --at)
            numbered[at] = numbered[at - 1];
        numbered[at] = mine;
        moves_left -= i - at;
        if (moves_left < 0) return false;
    }
    return true;
}

// The bits of a key, turned so that as unsigned integers they ascend where keys descend.
//
// The bits of positive doubles ascend with them, those of negative ones descend. 0 and -0 get the same.
inline std::uint64_t descending_bits(double key) {
    const auto bits = static_cast<std::int64_t>(to_bits(key + 0.0));
    return static_cast<std::uint64_t>(bits ^ (~(bits >> 63) & 0x7FFFFFFFFFFFFFFF));
}

// Writes the stable descending argsort of keys; keys must not contain NaN.
//
// First by how many steps of equal size a key is below the highest, in integers of 22 bits, or of 32 where there are more keys
// than a quarter of the steps; then what is in one step is compared. Where that would be much, since a few keys are far from all
// others, or infinite, the sort is by all 64 bits.
inline void stable_descending_order(Span<const double> keys, Span<Index> order) {
    const Index n = keys.size();
    const int n_digits = n <= Index{1} << 20 ? 2 : 3;
    double highest = -std::numeric_limits<double>::infinity(), lowest = -highest;
    for (Index i = 0; i < n; ++i) {
        order[i] = i;
        highest = keys[i] > highest ? keys[i] : highest;
        lowest = keys[i] < lowest ? keys[i] : lowest;
    }
    if (highest <= lowest) return;  // all are equal
    const double scale = ((n_digits == 2 ? 4194304.0 : 4294967296.0) - 1) / (highest - lowest);
    if (scale > 0 && scale < std::numeric_limits<double>::infinity()) {
        auto numbered = sort_by_digits(
            order, n_digits, [&](Index i) { return static_cast<std::int64_t>((highest - keys[i]) * scale); });
        if (compare_in_runs(keys, numbered)) {
            take_numbers(numbered, order);
            return;
        }
    }
    for (const int shift : {0, 32})
        take_numbers(sort_by_digits(order, 3, [&](Index i) { return descending_bits(keys[i]) >> shift & 0xFFFFFFFFu; }), order);
}

}  // namespace directrank::radix_sort

// Radix sort: stable, in linear time, without branch mispredictions.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "elementary.hpp"
#include "span.hpp"

namespace directrank::radix_sort {

// An integer in the upper half, the index of its document in the lower.
using Numbered = std::uint64_t;

inline Index number(Numbered numbered) { return static_cast<Index>(numbered & 0xFFFFFFFFu); }
inline std::uint32_t integer(Numbered numbered) { return static_cast<std::uint32_t>(numbered >> 32); }

// Stable sort by the digits of the integers, lowest digit first; `sorted` is scratch space.
template <int BITS, int N_DIGITS>
void sort_numbered(Array<Numbered>& numbered, Array<Numbered>& sorted) {
    constexpr std::uint32_t N_VALUES = 1u << BITS, MASK = N_VALUES - 1;
    // Counts are shifted by one, so that their running sums are the start of each digit value.
    std::uint32_t places[N_DIGITS][N_VALUES + 1] = {};
    for (const Numbered one : numbered)
        for (int digit = 0; digit < N_DIGITS; ++digit) ++places[digit][(one >> (32 + BITS * digit) & MASK) + 1];
    for (int digit = 0; digit < N_DIGITS; ++digit) {
        std::uint32_t* place = places[digit];
        for (std::uint32_t value = 0; value < MASK; ++value) place[value + 1] += place[value];
        const int shift = 32 + BITS * digit;
        for (const Numbered one : numbered) sorted[place[one >> shift & MASK]++] = one;
        std::swap(numbered, sorted);
    }
}

// Stable sort of documents, given in some order, by an integer key: by the lowest 11 bits, then the next 11, then the rest.
// `integer_of(document)` is below 2^32, or below 2^22 if n_digits is 2.
template <class IntegerOf>
Array<Numbered> sort_by_digits(Span<const Index> order, int n_digits, const IntegerOf& integer_of) {
    const Index n = order.size();
    Array<Numbered> numbered(n), sorted(n);
    for (Index i = 0; i < n; ++i) {
        const std::uint64_t value = static_cast<std::uint32_t>(integer_of(order[i]));
        numbered[i] = value << 32 | static_cast<std::uint64_t>(order[i]);
    }
    if (n_digits == 2)
        sort_numbered<11, 2>(numbered, sorted);
    else
        sort_numbered<11, 3>(numbered, sorted);
    return numbered;
}

// Writes the indices of sorted documents.
inline void take_numbers(Span<const Numbered> numbered, Span<Index> order) {
    for (Index i = 0; i < order.size(); ++i) order[i] = number(numbered[i]);
}

// Insertion sort of runs of equal integers by key; false if that would take too long.
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

// Bits of a key, mapped to unsigned integers that ascend as keys descend.
//
// The bits of positive doubles ascend with the value, and of negative doubles descend. 0 and -0 map to the same integer.
inline std::uint64_t descending_bits(double key) {
    const auto bits = static_cast<std::int64_t>(to_bits(key + 0.0));
    return static_cast<std::uint64_t>(bits ^ (~(bits >> 63) & 0x7FFFFFFFFFFFFFFF));
}

// Minimum and maximum of the finite keys.
struct Extremes {
    double lowest, highest;
};
Extremes extremes(Span<const double> keys);

// Writes the index of each key and, in n_bits, its distance below the highest finite key in steps of equal size. Infinite
// keys have separate steps; NaN counts as -inf. False if the step size overflows or underflows.
bool number_steps(Span<const double> keys, const Extremes& finite, int n_bits, Span<Numbered> numbered);

// Stable descending argsort of keys; the position of NaN is unspecified.
//
// Keys are sorted by steps of 16, 22 or 32 bits, depending on their number; then keys of equal step are compared. If that
// takes too long, because outliers leave most keys in few steps, steps are refined; the last resort sorts all 64 bits.
inline Array<Numbered> sort_descending(Span<const double> keys) {
    const Index n = keys.size();
    Array<Numbered> numbered(n), sorted(n);
    const Extremes finite = extremes(keys);
    if (n <= Index{1} << 12 && number_steps(keys, finite, 16, numbered)) {
        sort_numbered<8, 2>(numbered, sorted);
        if (compare_in_runs(keys, numbered)) return numbered;
    }
    if (n <= Index{1} << 20 && number_steps(keys, finite, 22, numbered)) {
        sort_numbered<11, 2>(numbered, sorted);
        if (compare_in_runs(keys, numbered)) return numbered;
    }
    if (number_steps(keys, finite, 32, numbered)) {
        sort_numbered<11, 3>(numbered, sorted);
        if (compare_in_runs(keys, numbered)) return numbered;
    }
    Array<Index> order(n);
    for (Index i = 0; i < n; ++i) order[i] = i;
    for (const int shift : {0, 32}) {
        numbered = sort_by_digits(order, 3, [&](Index i) { return descending_bits(keys[i]) >> shift & 0xFFFFFFFFu; });
        take_numbers(numbered, order);
    }
    return numbered;
}

// Writes the stable descending argsort of keys.
inline void stable_descending_order(Span<const double> keys, Span<Index> order) {
    take_numbers(sort_descending(keys), order);
}

}  // namespace directrank::radix_sort

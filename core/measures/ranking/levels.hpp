// Distinct grades of a query.
#pragma once

#include "measures/ranking/sorting.hpp"
#include "span.hpp"

namespace directrank::levels {

// Largest number of distinct values that are found without sorting.
constexpr Index MAX_LINEAR_SEARCH = 16;

// Distinct values of a query, ascending, and the number of documents of each.
struct Distinct {
    Array<double> values;
    Array<Index> counts;
    Index size() const { return values.size(); }
};

// Integers from 0 to below this are counted without comparing them.
constexpr int MAX_INTEGER = 64;

// Counts each integer; false, with some of them counted, if any value is not such an integer.
inline bool count_integers(Span<const double> values, Index (&counts)[MAX_INTEGER]) {
    std::fill_n(counts, MAX_INTEGER, 0);
    for (const double value : values) {
        if (!(value >= 0 && value < MAX_INTEGER)) return false;
        const int integer = static_cast<int>(value);
        if (integer != value) return false;
        ++counts[integer];
    }
    return true;
}

inline Distinct distinct_integers(const Index (&counts)[MAX_INTEGER]) {
    Distinct found{Array<double>(MAX_INTEGER), Array<Index>(MAX_INTEGER)};
    Index n = 0;
    for (int integer = 0; integer < MAX_INTEGER; ++integer)
        if (counts[integer] > 0) found.values[n] = integer, found.counts[n++] = counts[integer];
    found.values.shrink(n), found.counts.shrink(n);
    return found;
}

inline Distinct distinct_by_sorting(Span<const double> values) {
    Distinct found{Array<double>(values.size()), Array<Index>::zeros(values.size())};
    const Array<Index> order = sorting::descending_order(values);
    Index n = 0;
    for (Index i = values.size() - 1; i >= 0; --i) {
        const double value = values[order[i]];
        if (n == 0 || found.values[n - 1] != value) found.values[n++] = value;
        ++found.counts[n - 1];
    }
    found.values.shrink(n), found.counts.shrink(n);
    return found;
}

// Usually there are few distinct values: they are found without sorting.
inline Distinct distinct(Span<const double> values) {
    Index integer_counts[MAX_INTEGER];
    if (count_integers(values, integer_counts)) return distinct_integers(integer_counts);
    Distinct found{Array<double>(MAX_LINEAR_SEARCH), Array<Index>::zeros(MAX_LINEAR_SEARCH)};
    Index n = 0;
    for (const double value : values) {
        Index i = 0;
        while (i < n && found.values[i] < value) ++i;
        if (i == n || found.values[i] != value) {
            if (n == MAX_LINEAR_SEARCH) return distinct_by_sorting(values);
            for (Index j = n; j > i; --j) found.values[j] = found.values[j - 1], found.counts[j] = found.counts[j - 1];
            found.values[i] = value, found.counts[i] = 0;
            ++n;
        }
        ++found.counts[i];
    }
    found.values.shrink(n), found.counts.shrink(n);
    return found;
}

// Position of a value among the distinct values; any position if it is NaN.
inline Index level_of(Span<const double> values, double value) {
    Index low = 0, high = values.size();
    while (high - low > MAX_LINEAR_SEARCH) {
        const Index middle = (low + high) / 2;
        (values[middle] <= value ? low : high) = middle;
    }
    while (low + 1 < high && values[low] != value) ++low;
    return low;
}

// Writes the level of each value, its position among the distinct values; returns the number of levels.
inline Index number(Span<const double> values, Span<std::int32_t> level) {
    Index counts[MAX_INTEGER];
    if (count_integers(values, counts)) {
        std::int32_t places[MAX_INTEGER], n = 0;
        for (int integer = 0; integer < MAX_INTEGER; ++integer) places[integer] = n, n += counts[integer] > 0;
        for (Index i = 0; i < values.size(); ++i) level[i] = places[static_cast<int>(values[i])];
        return n;
    }
    const auto found = distinct(values);
    for (Index i = 0; i < values.size(); ++i) level[i] = static_cast<std::int32_t>(level_of(found.values, values[i]));
    return found.size();
}

}  // namespace directrank::levels

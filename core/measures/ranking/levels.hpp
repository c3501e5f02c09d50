// The distinct grades of a query.
#pragma once

#include "measures/ranking/sorting.hpp"
#include "span.hpp"

namespace directrank::levels {

// Up to this many distinct values are told apart without sorting.
constexpr Index MAX_LINEAR_SEARCH = 16;

// The distinct values of a query, ascending, and how often each occurs.
struct Distinct {
    Array<double> values;
    Array<Index> counts;
    Index size() const { return values.size(); }
};

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

// Usually distinct values are few: then they are found without sorting.
inline Distinct distinct(Span<const double> values) {
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

// The place of a value among distinct values, which have it.
inline Index level_of(Span<const double> values, double value) {
    Index low = 0, high = values.size();
    while (high - low > MAX_LINEAR_SEARCH) {
        const Index middle = (low + high) / 2;
        (values[middle] <= value ? low : high) = middle;
    }
    while (values[low] != value) ++low;
    return low;
}

}  // namespace directrank::levels

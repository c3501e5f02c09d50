// Discounted cumulative gain of one query; the definition is in measures/dcg.py.
#pragma once

#include "measures/ranking/partial.hpp"
#include "measures/ranking/ties.hpp"
#include "span.hpp"

namespace directrank::dcg {

// Mean over the orders of ties: every place of a tie group has the group's mean gain.
inline double value_of_ranking(Span<const double> scores, Span<const double> gains, Span<const double> discounts) {
    const Index last = std::min(ties::ranked_end(scores), discounts.size());
    double total = 0;
    for (Index start = 0, end = 0; start < last; start = end) {
        end = ties::group_end(scores, start);
        if (end == start + 1) {
            total += gains[start] * discounts[start];
            continue;
        }
        double gain = 0, discount = 0;
        for (Index i = start; i < end; ++i) gain += gains[i];
        for (Index i = start; i < std::min(end, last); ++i) discount += discounts[i];
        total += gain / static_cast<double>(end - start) * discount;
    }
    return total;
}

inline double value(Span<const double> scores, Span<const double> gains, Span<const double> discounts) {
    const partial::Ranked<double> top(scores, gains, discounts.size());
    return value_of_ranking(top.scores, top.values, discounts);
}

// Value of the best ranking; `to_rank` has the sums of the discounts down to each rank, from 0.
double ideal(Span<const double> gains, Span<const double> to_rank);

}  // namespace directrank::dcg

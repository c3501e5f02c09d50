// Rank-biased precision of one query; the definition is in measures/rank_biased.py.
#pragma once

#include "measures/ranking/partial.hpp"
#include "measures/ranking/ties.hpp"
#include "span.hpp"

namespace directrank::rank_biased {

// Sum of the discounts at the ranks of the relevant documents, averaged over the orders of ties; `to_rank` has the sums of
// the discounts down to each rank, from 0.
inline double value(Span<const double> scores, Span<const bool> relevant, Span<const double> to_rank) {
    const Index depth = to_rank.size() - 1;
    const partial::Ranked<bool> top(scores, relevant, depth);
    const Index last = std::min(ties::ranked_end(top.scores), depth);
    double total = 0;
    for (Index start = 0, end = 0; start < last; start = end) {
        end = ties::group_end(top.scores, start);
        total += static_cast<double>(ties::count(top.values, start, end)) *
                 (to_rank[std::min(end, last)] - to_rank[start]) / static_cast<double>(end - start);
    }
    return total;
}

}  // namespace directrank::rank_biased

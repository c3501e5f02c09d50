// Changes of a measure that sums gain times discount when two documents of one query swap ranks; see
// measures/pairs/swaps.py.
#pragma once

#include <cstdint>

#include "measures/ranking/sorting.hpp"
#include "measures/ranking/ties.hpp"
#include "span.hpp"

namespace directrank::swaps {

// Discounts of ranks, and their sums over the first 0, 1, 2, ... ranks.
struct DiscountTable {
    Span<const double> at_rank, to_rank;
};

// Writes the number of each document's tie group, its discount, and the mean difference of two discounts in its group.
//
// A document's discount is the mean over the ranks of its tie group; within the group the mean difference counts. Of two
// places x < y of a group of m documents, the discounts differ by D(x) - D(y): rank x is the upper one in m - 1 - x of the m
// (m - 1)/2 pairs of places and the lower one in x of them.
inline void mean_discounts(Span<const double> scores, const DiscountTable& discounts, Index depth, Span<std::int32_t> group,
                           Span<double> upper, Span<double> tied) {
    const auto ranking = sorting::Ranking(scores);
    std::int32_t number = 0;
    for (Index start = 0, end = 0; start < scores.size(); start = end, ++number) {
        end = ties::group_end(ranking.scores, start);
        const Index last = std::min(end, depth);
        const auto m = static_cast<double>(end - start);
        const double mean = start < depth ? (discounts.to_rank[last] - discounts.to_rank[start]) / m : 0.0;
        double mean_difference = 0;
        if (end - start > 1) {
            for (Index rank = start; rank < last; ++rank)
                mean_difference += (m - 1 - 2 * static_cast<double>(rank - start)) * discounts.at_rank[rank];
            mean_difference *= 2 / (m * (m - 1));
            // As the mean: 0 where it is negligible beside the discounts above, so that documents far down are not visited.
            if (discounts.to_rank[last] + mean_difference == discounts.to_rank[last]) mean_difference = 0;
        }
        for (Index rank = start; rank < end; ++rank) {
            const Index document = ranking.order[rank];
            group[document] = number, upper[document] = mean, tied[document] = mean_difference;
        }
    }
}

}  // namespace directrank::swaps

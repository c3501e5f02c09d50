// Relevant documents in the first ranks of one query; the measures are defined in measures/precision_recall.py.
#pragma once

#include "measures/ranking/partial.hpp"
#include "measures/ranking/ties.hpp"
#include "span.hpp"

namespace directrank::precision_recall {

// Number of flagged documents in the first `depth` ranks, averaged over the orders of ties.
inline double count_in_first(Span<const double> scores, Span<const bool> flags, Index depth) {
    const partial::Ranked<bool> top(scores, flags, depth);
    const Index last = std::min(ties::ranked_end(top.scores), depth);
    double found = 0;
    for (Index start = 0, end = 0; start < last; start = end) {
        end = ties::group_end(top.scores, start);
        const double fraction = static_cast<double>(std::min(end, last) - start) / static_cast<double>(end - start);
        found += fraction * static_cast<double>(ties::count(top.values, start, end));
    }
    return found;
}

// Probability of a relevant document in the first `depth` ranks, over the orders of ties.
inline double any_in_first(Span<const double> scores, Span<const bool> relevant, Index depth) {
    const partial::Ranked<bool> top(scores, relevant, depth);
    const Index last = std::min(ties::ranked_end(top.scores), depth);
    double none = 1;
    for (Index start = 0, end = 0; start < last; start = end) {
        end = ties::group_end(top.scores, start);
        const Index count = ties::count(top.values, start, end);
        for (Index left = end - start; left > end - std::min(end, last); --left)
            none *= static_cast<double>(std::max<Index>(left - count, 0)) / static_cast<double>(left);
    }
    return 1 - none;
}

}  // namespace directrank::precision_recall

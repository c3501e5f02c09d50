// Tie groups: documents of a ranking with equal scores. A document with the score -inf has no rank.
#pragma once

#include <limits>

#include "span.hpp"

namespace directrank::ties {

// One past the last document tied with document `start`.
inline Index group_end(Span<const double> scores, Index start) {
    Index end = start + 1;
    while (end < scores.size() && scores[end] == scores[start]) ++end;
    return end;
}

// Number of documents of a ranked query that have a rank, that is, a score above -inf.
inline Index ranked_end(Span<const double> scores) {
    Index end = scores.size();
    while (end > 0 && scores[end - 1] == -std::numeric_limits<double>::infinity()) --end;
    return end;
}

// Number of flagged documents.
inline Index count(Span<const bool> flags) {
    Index flagged = 0;
    for (const bool flag : flags) flagged += flag;
    return flagged;
}

// Number of flagged documents from `start` to before `end`.
inline Index count(Span<const bool> flags, Index start, Index end) { return count(flags.slice(start, end)); }

// Replaces the values of tied documents of equal grade, which are neighbours in the order, by their mean.
inline void share_among_equals(Span<const double> scores, Span<const double> grades, Span<const Index> order,
                               Span<double> values) {
    for (Index start = 0, end = 0; start < order.size(); start = end) {
        const Index first = order[start];
        double total = values[first];
        for (++end; end < order.size() && scores[order[end]] == scores[first] && grades[order[end]] == grades[first]; ++end)
            total += values[order[end]];
        for (Index k = start; k < end; ++k) values[order[k]] = total / static_cast<double>(end - start);
    }
}

}  // namespace directrank::ties

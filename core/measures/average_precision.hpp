// Average precision of one query; the definition is in measures/average_precision.py.
#pragma once

#include "measures/ranking/partial.hpp"
#include "measures/ranking/ties.hpp"
#include "span.hpp"

namespace directrank::average_precision {

// Value from the ranks of all relevant documents, ascending.
inline double value_of_ranks(Span<const Index> ranks, Index k) {
    double total = 0;
    for (Index before = 0; before < ranks.size() && ranks[before] <= k; ++before)
        total += static_cast<double>(before + 1) / static_cast<double>(ranks[before]);
    return total / static_cast<double>(ranks.size());
}

// Mean of the value over the orders of ties.
//
// In a group of m documents, r of them relevant, place i holds a relevant document with probability r/m, with an expected
// (i - 1) (r - 1)/(m - 1) relevant documents in the places before it.
inline double value_of_ranking(Span<const double> scores, Span<const bool> relevant, Index n_relevant, Index k) {
    const Index last = std::min(ties::ranked_end(scores), k);
    double total = 0;
    Index before = 0, start = 0;
    while (start < last && before < n_relevant) {
        if (start + 1 == scores.size() || scores[start + 1] != scores[start]) {
            // No tie, and no branch on relevance, which would be mispredicted.
            const bool found = relevant[start];
            before += found;
            ++start;
            total += static_cast<double>(found) * (static_cast<double>(before) / static_cast<double>(start));
            continue;
        }
        const Index end = ties::group_end(scores, start);
        const Index r = ties::count(relevant, start, end);
        const auto m = static_cast<double>(end - start);
        const double share = static_cast<double>(r) / m, slope = static_cast<double>(r - 1) / (m - 1);
        for (Index i = 0; i < std::min(end, last) - start; ++i)
            total += share * (static_cast<double>(before + 1) + static_cast<double>(i) * slope) /
                     static_cast<double>(start + i + 1);
        before += r;
        start = end;
    }
    return total / static_cast<double>(n_relevant);
}

inline double value(Span<const double> scores, Span<const bool> relevant, Index n_relevant, Index k) {
    if (n_relevant == 0) return 0;
    // With few relevant documents, their ranks are counted instead of sorting the query.
    if (3 * n_relevant < scores.size() && n_relevant <= partial::MAX_FEW && !sorting::is_ranked(scores)) {
        Index ranks[partial::MAX_FEW];
        if (partial::ranks_of_few(scores, relevant, {ranks, n_relevant})) return value_of_ranks({ranks, n_relevant}, k);
    }
    const partial::Ranked<bool> ranked(scores, relevant);
    return value_of_ranking(ranked.scores, ranked.values, n_relevant, k);
}

}  // namespace directrank::average_precision

// The area under one query's precision-recall curve; the definition is in measures/precision_recall_area.py.
#pragma once

#include "elementary.hpp"
#include "measures/ranking/partial.hpp"
#include "measures/ranking/ties.hpp"
#include "span.hpp"

namespace directrank::precision_recall_area {

// A tie group below `start` documents, `found` of them relevant, with r relevant ones among its m, is one segment of the
// curve. It has t + FP(t) = start + (t - found) m/r, and the integral of t/(t + FP(t)) from found to found + r is
//
//     r^2/m - (r start - m found) r/m^2 log((start + m)/start)
inline double value(Span<const double> scores, Span<const bool> relevant, Index n_relevant) {
    if (n_relevant == 0) return 0;
    const partial::Ranked<bool> ranked(scores, relevant);
    const Index last = ties::ranked_end(ranked.scores);
    double total = 0;
    Index all_found = 0;
    for (Index begin = 0, end = 0; begin < last && all_found < n_relevant; begin = end) {
        end = ties::group_end(ranked.scores, begin);
        const Index n_found = ties::count(ranked.values, begin, end);
        if (n_found == 0) continue;
        const auto start = static_cast<double>(begin), m = static_cast<double>(end - begin);
        const auto found = static_cast<double>(all_found), r = static_cast<double>(n_found);
        total += r * r / m;
        if (begin > 0) total -= (r * start - m * found) * (r / (m * m)) * log_of_ratio(start + m, start);
        all_found += n_found;
    }
    return total / static_cast<double>(n_relevant);
}

}  // namespace directrank::precision_recall_area

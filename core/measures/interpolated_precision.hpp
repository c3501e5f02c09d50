// Interpolated precision of one query; the definition is in measures/interpolated_precision.py.
#pragma once

#include <cmath>

#include "measures/ranking/partial.hpp"
#include "measures/ranking/ties.hpp"
#include "scratch.hpp"
#include "span.hpp"

namespace directrank::interpolated_precision {

// Writes the precision at the rank of each relevant document, 0 if it was not retrieved; in a tie group the relevant
// documents come last.
inline void precision_at_relevant(Span<const double> scores, Span<const bool> relevant, Span<double> precision) {
    const Index last = ties::ranked_end(scores);
    Index found = 0;
    for (Index start = 0, end = 0; start < last; start = end) {
        end = ties::group_end(scores, start);
        const Index among_equals = ties::count(relevant, start, end);
        for (Index rank = end - among_equals + 1; rank <= end; ++rank, ++found)
            precision[found] = static_cast<double>(found + 1) / static_cast<double>(rank);
    }
    std::fill(precision.begin() + found, precision.end(), 0.0);
}

// Writes the highest precision at any rank that reaches each recall.
//
// Precision is highest at the rank of a relevant document, so only those ranks are visited. A recall is reached within a
// tolerance of `rounding` documents.
inline void at_recalls(Span<const double> scores, Span<const bool> relevant, Span<const double> recalls, double rounding,
                       Span<double> values) {
    const Index n_relevant = ties::count(relevant);
    if (n_relevant == 0) {
        std::fill(values.begin(), values.end(), 0.0);
        return;
    }
    const partial::Ranked<bool> ranked(scores, relevant);
    const Scratch<double> best(n_relevant);
    precision_at_relevant(ranked.scores, ranked.values, best);
    for (Index found = n_relevant - 1; found > 0; --found) best[found - 1] = std::max(best[found - 1], best[found]);
    for (Index level = 0; level < recalls.size(); ++level) {
        const double needed = std::ceil(recalls[level] * static_cast<double>(n_relevant) - rounding);
        values[level] = best[std::min(std::max(static_cast<Index>(needed), Index{1}), n_relevant) - 1];
    }
}

}  // namespace directrank::interpolated_precision

// Precision over the grades of one query's labelling; the definitions are in measures/multi_class.py.
#pragma once

#include <limits>

#include "measures/ranking/levels.hpp"
#include "scratch.hpp"
#include "span.hpp"

namespace directrank::multi_class {

// Position of the first of ascending levels that is not below a score; their number if all are below it.
inline Index first_not_below(Span<const double> levels, double score) {
    Index place = 0;
    if (levels.size() > levels::MAX_LINEAR_SEARCH)
        return std::lower_bound(levels.begin(), levels.end(), score) - levels.begin();
    for (const double level : levels) place += level < score;
    return place;
}

// Position of the level nearest to a score, the lower of two at the same distance.
inline Index nearest(Span<const double> levels, double score) {
    const Index label = std::min(first_not_below(levels, score), levels.size() - 1);
    return label - (label > 0 && score - levels[label - 1] <= levels[label] - score);
}

// `is_pooled` says whether counts are pooled over the classes, which are the grades from `threshold` up.
inline double value(Span<const double> scores, Span<const double> grades, double threshold, bool is_pooled) {
    const auto levels = levels::distinct(grades);
    const Scratch<Index> right(levels.size()), labelled(levels.size());
    std::fill_n(right.data(), right.size(), 0), std::fill_n(labelled.data(), labelled.size(), 0);
    for (Index i = 0; i < scores.size(); ++i) {
        if (!(scores[i] > -std::numeric_limits<double>::infinity())) continue;
        const Index label = nearest(levels.values, scores[i]);
        ++labelled[label];
        right[label] += levels.values[label] == grades[i];
    }
    const Index first = first_not_below(levels.values, threshold);
    if (is_pooled) {
        Index all_right = 0, all_labelled = 0;
        for (Index c = first; c < levels.size(); ++c) all_right += right[c], all_labelled += labelled[c];
        return static_cast<double>(all_right) / static_cast<double>(std::max<Index>(all_labelled, 1));
    }
    double total = 0;
    for (Index c = first; c < levels.size(); ++c)
        total += static_cast<double>(right[c]) / static_cast<double>(std::max<Index>(labelled[c], 1));
    return total / static_cast<double>(std::max<Index>(levels.size() - first, 1));
}

}  // namespace directrank::multi_class

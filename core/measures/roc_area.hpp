// Area under one query's ROC curve, and its most violated labelling of pairs; the definitions are in
// measures/roc_area.py.
//
// The level of a document is the number of its grade among the distinct grades of the query, from the lowest.
#pragma once

#include "measures/ranking/level_counts.hpp"
#include "measures/ranking/partial.hpp"
#include "measures/ranking/ties.hpp"
#include "scratch.hpp"
#include "span.hpp"

namespace directrank::roc_area {

using Levels = Span<const std::int32_t>;

// Number of pairs of unequal level: (n^2 - sum of the squares of the sizes of levels)/2.
inline Index count_pairs(Levels level, Index n_levels) {
    const Scratch<Index> sizes(n_levels);
    level_counts::count(level, sizes);
    Index squares = 0;
    for (const Index size : sizes.span()) squares += size * size;
    return (level.size() * level.size() - squares) / 2;
}

// The same where levels may be many more than documents, as in a tie group.
inline Index count_pairs_by_sorting(Levels level) {
    const Scratch<std::int32_t> ordered(level.size());
    std::copy(level.begin(), level.end(), ordered.data());
    std::sort(ordered.data(), ordered.data() + ordered.size());
    Index squares = 0;
    for (Index start = 0, end = 0; start < ordered.size(); start = end) {
        while (end < ordered.size() && ordered[end] == ordered[start]) ++end;
        squares += (end - start) * (end - start);
    }
    return (level.size() * level.size() - squares) / 2;
}

// Twice the number of pairs in the right order, tied pairs counting half: an integer, so that the order of rows does not
// matter.
template <class Counts>
Index half_pairs_in_order(Span<const double> scores, Levels level, Index n_levels, Counts& above) {
    Index in_order = 0;
    for (Index start = 0, end = 0; start < scores.size(); start = end) {
        end = ties::group_end(scores, start);
        for (Index i = start; i < end; ++i) in_order += 2 * (start - above.count_to(level[i]));
        for (Index i = start; i < end; ++i) above.add(level[i]);
        if (end - start > 1)
            in_order += n_levels <= level_counts::Few::MAX_LEVELS ? count_pairs(level.slice(start, end), n_levels)
                                                                  : count_pairs_by_sorting(level.slice(start, end));
    }
    return in_order;
}

// Fraction of the pairs of unequal level that are in the right order.
inline double value(Span<const double> scores, Levels level, Index n_levels, Index pairs) {
    if (pairs == 0) return 0;
    const partial::Ranked<std::int32_t> ranked(scores, level);
    const Index in_order = level_counts::with_counts(
        n_levels, [&](auto& above) { return half_pairs_in_order(ranked.scores, ranked.values, n_levels, above); });
    return static_cast<double>(in_order) / static_cast<double>(2 * pairs);
}

// The most violated labelling of pairs with two levels, found by one sort (Joachims 2005, Algorithm 3): 1/2 is taken from
// the scores of the better documents, and a pair is swapped where the worse one then ranks above. If both are equal the
// better one comes first. Returns the number of pairs swapped.
inline Index most_violated_two_levels(Span<const double> scores, Levels level, Index pairs, Span<double> coefficients) {
    const Index n = scores.size();
    Index n_better = 0;
    for (const std::int32_t one : level) n_better += one;
    const Scratch<double> keys(n);
    const auto for_each_place = [&](const auto& work) {
        Index better = 0, worse = n_better;
        for (Index document = 0; document < n; ++document) {
            const Index is_better = level[document];
            work(document, worse + is_better * (better - worse));  // no branch to mispredict
            better += is_better, worse += 1 - is_better;
        }
    };
    for_each_place([&](Index document, Index place) { keys[place] = scores[document] - 0.5 * level[document]; });
    const Scratch<Index> order(n);
    sorting::descending_order(keys, order);
    const double share = 2.0 / static_cast<double>(pairs);
    Index better = 0, swapped = 0;
    for (Index i = 0; i < n; ++i) {
        const Index place = order[i], is_better = place < n_better;
        const Index worse_above = i - better, better_not_above = better - n_better;
        keys[place] = share * static_cast<double>(better_not_above + is_better * (worse_above - better_not_above));
        swapped += is_better * worse_above;
        better += is_better;
    }
    for_each_place([&](Index document, Index place) { coefficients[document] = keys[place]; });
    return swapped;
}

// The same with any number of levels. A pair is swapped unless the better score is above the other by at least 1/2, and the
// coefficient of a document is the number of swapped pairs in which it is the better one minus the number in which it is the
// worse one. Both are counted going down the ranking, where ever more documents are near enough below to be swapped with a
// better one, and ever more are too far above to be swapped with a worse one. Returns the number of pairs swapped.
template <class Counts>
Index most_violated_levels(Span<const double> scores, Levels level, Index n_levels, Index pairs, Span<double> coefficients,
                           Counts& near, Counts& far_above) {
    const Index n = scores.size();
    const Scratch<Index> order(n), n_not_better(n_levels);
    const Scratch<double> ranked_scores(n);
    const Scratch<std::int32_t> ranked_level(n);
    sorting::descending_order(scores, order);
    for (Index i = 0; i < n; ++i) ranked_scores[i] = scores[order[i]], ranked_level[i] = level[order[i]];
    level_counts::count(level, n_not_better);
    for (Index i = 1; i < n_levels; ++i) n_not_better[i] += n_not_better[i - 1];
    Index n_near = 0, n_far_above = 0, swapped = 0;
    for (Index place = 0; place < n; ++place) {
        const double score = ranked_scores[place];
        const std::int32_t own = ranked_level[place];
        for (; n_near < n && ranked_scores[n_near] > score - 0.5; ++n_near) near.add(ranked_level[n_near]);
        for (; n_far_above < n && ranked_scores[n_far_above] - 0.5 >= score; ++n_far_above)
            far_above.add(ranked_level[n_far_above]);
        const Index worse = own > 0 ? near.count_to(own - 1) : 0;
        const Index better = n - n_not_better[own] - (n_far_above - far_above.count_to(own));
        coefficients[order[place]] = 2.0 * static_cast<double>(worse - better) / static_cast<double>(pairs);
        swapped += worse;
    }
    return swapped;
}

// Writes Psi(y*) - Psi(y^) as a coefficient of each document; returns the loss.
inline double most_violated(Span<const double> scores, Levels level, Index n_levels, Index pairs,
                            Span<double> coefficients) {
    if (pairs == 0) {
        std::fill(coefficients.begin(), coefficients.end(), 0.0);
        return 0;
    }
    const auto swap_levels = [&](auto& near) {
        std::decay_t<decltype(near)> far_above(n_levels);
        return most_violated_levels(scores, level, n_levels, pairs, coefficients, near, far_above);
    };
    const Index swapped = n_levels == 2 ? most_violated_two_levels(scores, level, pairs, coefficients)
                                        : level_counts::with_counts(n_levels, swap_levels);
    return static_cast<double>(swapped) / static_cast<double>(pairs);
}

// Multi-class area: the class-reference areas of all levels but that of grade 0, weighted by the share of each class.
//
// m n AUC(c) is the sum of the ranks of the m documents of class c, from below and with ties averaged, less m (m + 1)/2.
inline double multi_class(Span<const double> scores, Levels level, Index n_levels, bool has_grade_0) {
    if (n_levels < 2) return 0;
    const partial::Ranked<std::int32_t> ranked(scores, level);
    const Index n = scores.size();
    const Scratch<double> rank_sums(n_levels);
    const Scratch<Index> sizes(n_levels);
    std::fill_n(rank_sums.data(), n_levels, 0.0);
    level_counts::count(level, sizes);
    for (Index start = 0, end = 0; start < n; start = end) {
        end = ties::group_end(ranked.scores, start);
        const double rank = static_cast<double>(n) - static_cast<double>(start + end - 1) / 2;
        for (Index i = start; i < end; ++i) rank_sums[ranked.values[i]] += rank;
    }
    double weighted = 0;
    Index n_weighted = 0;
    for (Index c = has_grade_0; c < n_levels; ++c) {
        const auto m = static_cast<double>(sizes[c]);
        const double area = (rank_sums[c] - m * (m + 1) / 2) / (m * (static_cast<double>(n) - m));
        weighted += m * area;
        n_weighted += sizes[c];
    }
    return weighted / static_cast<double>(n_weighted);
}

// With p(c) = m_c/m, the gain p(c)/(m_c n_c) is 1/(m n_c); the gain of grade 0 is 0.
inline void class_gains(Levels level, Index n_levels, bool has_grade_0, Span<double> gains) {
    std::fill(gains.begin(), gains.end(), 0.0);
    if (n_levels < 2) return;
    const Scratch<Index> sizes(n_levels);
    level_counts::count(level, sizes);
    const Index n = level.size(), n_above_0 = n - (has_grade_0 ? sizes[0] : 0);
    const Scratch<double> level_gains(n_levels);
    for (Index c = 0; c < n_levels; ++c) level_gains[c] = 1 / static_cast<double>(n_above_0 * (n - sizes[c]));
    if (has_grade_0) level_gains[0] = 0;
    for (Index i = 0; i < n; ++i) gains[i] = level_gains[level[i]];
}

}  // namespace directrank::roc_area

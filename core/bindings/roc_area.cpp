#include "measures/roc_area.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

namespace {

using Levels = Span<const std::int32_t>;

// Calls `work(q, start, end)` for each query, whose levels are checked before.
template <class Work>
void for_each_query_of_levels(Levels level, Span<const Index> n_levels, Span<const Index> offsets, const Work& work) {
    check_queries(offsets, {level.size()});
    check_length(offsets.size() - 1, {n_levels.size()});
    for_each_query(offsets, [&](Index q, Index start, Index end) {
        if (!level_counts::are_valid(level.slice(start, end), n_levels[q]))
            throw std::invalid_argument("levels that are not numbered from 0 to one less than their number");
        work(q, start, end);
    });
}

}  // namespace

DIRECTRANK_KERNELS(roc_area) {
    m.def(
        "evaluate",
        [](Span<const double> scores, Levels level, Span<const Index> n_levels, Span<const Index> offsets,
           Span<const Index> pairs) {
            check_length(level.size(), {scores.size()});
            check_length(n_levels.size(), {pairs.size()});
            check_counts(pairs, TOO_MANY_PAIRS);
            Array<double> values(n_levels.size());
            for_each_query_of_levels(level, n_levels, offsets, [&](Index q, Index start, Index end) {
                values[q] = roc_area::value(scores.slice(start, end), level.slice(start, end), n_levels[q], pairs[q]);
            });
            return values;
        },
        released);
    m.def(
        "count_pairs",
        [](Levels level, Span<const Index> n_levels, Span<const Index> offsets) {
            Array<Index> pairs(n_levels.size());
            for_each_query_of_levels(level, n_levels, offsets, [&](Index q, Index start, Index end) {
                pairs[q] = roc_area::count_pairs(level.slice(start, end), n_levels[q]);
            });
            return pairs;
        },
        released);
    m.def(
        "most_violated",
        [](Span<const double> scores, Levels level, Span<const Index> n_levels, Span<const Index> offsets,
           Span<const Index> pairs) {
            check_length(level.size(), {scores.size()});
            check_length(n_levels.size(), {pairs.size()});
            check_counts(pairs, TOO_MANY_PAIRS);
            Array<double> coefficients(scores.size()), losses(n_levels.size());
            for_each_query_of_levels(level, n_levels, offsets, [&](Index q, Index start, Index end) {
                losses[q] = roc_area::most_violated(scores.slice(start, end), level.slice(start, end), n_levels[q], pairs[q],
                                                    coefficients.slice(start, end));
            });
            return std::pair(std::move(coefficients), std::move(losses));
        },
        released);
    m.def(
        "multi_class",
        [](Span<const double> scores, Levels level, Span<const Index> n_levels, Span<const Index> offsets,
           Span<const bool> has_grade_0) {
            check_length(level.size(), {scores.size()});
            check_length(n_levels.size(), {has_grade_0.size()});
            Array<double> values(n_levels.size());
            for_each_query_of_levels(level, n_levels, offsets, [&](Index q, Index start, Index end) {
                values[q] =
                    roc_area::multi_class(scores.slice(start, end), level.slice(start, end), n_levels[q], has_grade_0[q]);
            });
            return values;
        },
        released);
    m.def(
        "class_gains",
        [](Levels level, Span<const Index> n_levels, Span<const Index> offsets, Span<const bool> has_grade_0) {
            check_length(n_levels.size(), {has_grade_0.size()});
            Array<double> gains(level.size());
            for_each_query_of_levels(level, n_levels, offsets, [&](Index q, Index start, Index end) {
                roc_area::class_gains(level.slice(start, end), n_levels[q], has_grade_0[q], gains.slice(start, end));
            });
            return gains;
        },
        released);
}

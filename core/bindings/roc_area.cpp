#include "measures/roc_area.hpp"

#include "bindings/queries.hpp"

using namespace directrank;

namespace {

using Levels = Span<const std::int32_t>;

// Levels of the documents, checked query by query as they are read.
struct LevelsOfQueries {
    Levels level;
    Span<const Index> n_levels, offsets;

    LevelsOfQueries(Levels level, Span<const Index> n_levels, Span<const Index> offsets)
        : level(level), n_levels(n_levels), offsets(offsets) {
        check_queries(offsets, {level.size()});
        check_length(offsets.size() - 1, {n_levels.size()});
    }

    // Checks the lengths of scores, and the number of pairs of each query.
    void check(Span<const double> scores, Span<const Index> pairs) const {
        check_length(level.size(), {scores.size()});
        check_length(n_levels.size(), {pairs.size()});
        check_counts(pairs, TOO_MANY_PAIRS);
    }

    Levels operator[](Index q) const {
        const Levels found = level.slice(offsets[q], offsets[q + 1]);
        if (!level_counts::are_valid(found, n_levels[q]))
            throw std::invalid_argument("levels that are not numbered from 0 to one less than their number");
        return found;
    }
};

}  // namespace

DIRECTRANK_KERNELS(roc_area) {
    m.def(
        "evaluate",
        [](Span<const double> scores, Levels level, Span<const Index> n_levels, Span<const Index> offsets,
           Span<const Index> pairs) {
            const LevelsOfQueries levels(level, n_levels, offsets);
            levels.check(scores, pairs);
            return query_values(offsets, [&](Index q, Index start, Index end) {
                return roc_area::value(scores.slice(start, end), levels[q], n_levels[q], pairs[q]);
            });
        },
        released);
    m.def(
        "count_pairs",
        [](Levels level, Span<const Index> n_levels, Span<const Index> offsets) {
            const LevelsOfQueries levels(level, n_levels, offsets);
            Array<Index> pairs(n_levels.size());
            for_each_query(offsets, [&](Index q, Index, Index) {
                pairs[q] = roc_area::count_pairs(levels[q], n_levels[q]);
            });
            return pairs;
        },
        released);
    m.def(
        "most_violated",
        [](Span<const double> scores, Levels level, Span<const Index> n_levels, Span<const Index> offsets,
           Span<const Index> pairs) {
            const LevelsOfQueries levels(level, n_levels, offsets);
            levels.check(scores, pairs);
            return violation(offsets, [&](Index q, Index start, Index end, Span<double> coefficients) {
                return roc_area::most_violated(scores.slice(start, end), levels[q], n_levels[q], pairs[q], coefficients);
            });
        },
        released);
    m.def(
        "multi_class",
        [](Span<const double> scores, Levels level, Span<const Index> n_levels, Span<const Index> offsets,
           Span<const bool> has_grade_0) {
            const LevelsOfQueries levels(level, n_levels, offsets);
            check_length(level.size(), {scores.size()});
            check_length(n_levels.size(), {has_grade_0.size()});
            return query_values(offsets, [&](Index q, Index start, Index end) {
                return roc_area::multi_class(scores.slice(start, end), levels[q], n_levels[q], has_grade_0[q]);
            });
        },
        released);
    m.def(
        "class_gains",
        [](Levels level, Span<const Index> n_levels, Span<const Index> offsets, Span<const bool> has_grade_0) {
            const LevelsOfQueries levels(level, n_levels, offsets);
            check_length(n_levels.size(), {has_grade_0.size()});
            Array<double> gains(level.size());
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                roc_area::class_gains(levels[q], n_levels[q], has_grade_0[q], gains.slice(start, end));
            });
            return gains;
        },
        released);
}

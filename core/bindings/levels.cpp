#include "measures/ranking/levels.hpp"

#include "bindings/kernels.hpp"
#include "measures/ranking/ties.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(levels) {
    m.def(
        "number",
        [](Span<const double> grades, Span<const Index> offsets) {
            check_queries(offsets, {grades.size()});
            Array<std::int32_t> level(grades.size());
            Array<Index> n_levels(offsets.size() - 1);
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                n_levels[q] = levels::number(grades.slice(start, end), level.slice(start, end));
            });
            return std::pair(std::move(level), std::move(n_levels));
        },
        released);
    m.def(
        "count",
        [](Span<const bool> flags, Span<const Index> offsets) {
            check_queries(offsets, {flags.size()});
            Array<Index> counts(offsets.size() - 1);
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                counts[q] = ties::count(flags, start, end);
            });
            return counts;
        },
        released);
    m.def(
        "values_differ",
        [](Span<const double> values, Span<const Index> offsets) {
            check_queries(offsets, {values.size()});
            Array<bool> differ(offsets.size() - 1);
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                const auto others = values.slice(start, end);
                differ[q] = std::any_of(others.begin(), others.end(), [&](double value) { return value != others[0]; });
            });
            return differ;
        },
        released);
}

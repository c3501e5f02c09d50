#include "measures/pairs/pairwise.hpp"

#include <nanobind/stl/optional.h>

#include "bindings/kernels.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(pairwise) {
    m.def(
        "order_by_level",
        [](Span<const std::int32_t> level, Span<const Index> n_levels, Span<const Index> offsets) {
            check_queries(offsets, {level.size()});
            check_length(offsets.size() - 1, {n_levels.size()});
            Array<std::int32_t> by_level(level.size());
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                if (n_levels[q] < 0 || n_levels[q] > end - start)
                    throw std::invalid_argument("a query of more levels than documents, or less than 0");
                pairwise::order_by_level(level.slice(start, end), n_levels[q], by_level.slice(start, end));
            });
            return by_level;
        },
        released);
    m.def(
        "lambdas",
        [](Span<const double> scores, Span<const Index> offsets, Span<const std::int32_t> by_level,
           Span<const std::int32_t> level, Span<const std::int32_t> group, Span<const double> gains,
           Span<const double> upper, std::optional<Span<const double>> lower, Span<const double> tied, Index max_short_query,
           Index max_exact_pairs, Index max_visited_pairs, bool by_distance) {
            const pairwise::Query all{scores, by_level, level, group, gains, upper, lower.value_or(Span<const double>()),
                                      tied};
            check_queries(offsets, {scores.size(), by_level.size(), level.size(), group.size(), gains.size(), upper.size(),
                                    lower ? lower->size() : scores.size(), tied.size()});
            auto gradient = Array<double>::zeros(scores.size()), hessian = Array<double>::zeros(scores.size());
            pairwise::for_each_query_of_pairs(
                offsets, max_short_query, [&](Index, Index start, Index end, bool on_all_threads) {
                    pairwise::sum(all.slice(start, end), {max_exact_pairs, max_visited_pairs, on_all_threads, by_distance},
                                  gradient.slice(start, end), hessian.slice(start, end));
                });
            return std::pair(std::move(gradient), std::move(hessian));
        },
        released);
}

#include "measures/pairs/roc_area_pairs.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(roc_area_pairs) {
    m.def(
        "lambdas",
        [](Span<const double> scores, Span<const Index> offsets, Span<const std::int32_t> by_level,
           Span<const std::int32_t> level, Span<const double> weights, Index max_short_query, Index max_exact_pairs,
           Index max_visited_pairs, bool by_distance) {
            check_queries(offsets, {scores.size(), by_level.size(), level.size()});
            check_length(offsets.size() - 1, {weights.size()});
            auto gradient = Array<double>::zeros(scores.size()), hessian = Array<double>::zeros(scores.size());
            pairwise::for_each_query_of_pairs(
                offsets, max_short_query, [&](Index q, Index start, Index end, bool on_all_threads) {
                    roc_area_pairs::sum(scores.slice(start, end), by_level.slice(start, end), level.slice(start, end),
                                        weights[q], {max_exact_pairs, max_visited_pairs, on_all_threads, by_distance},
                                        gradient.slice(start, end), hessian.slice(start, end));
                });
            return std::pair(std::move(gradient), std::move(hessian));
        },
        released);
}

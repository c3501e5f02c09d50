#include "measures/pairs/swaps.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(swaps) {
    m.def(
        "mean_discounts",
        [](Span<const double> scores, Span<const Index> offsets, Span<const double> at_rank, Span<const double> to_rank,
           Span<const Index> depths) {
            check_queries(offsets, {scores.size()});
            check_length(offsets.size() - 1, {depths.size()});
            check_length(at_rank.size() + 1, {to_rank.size()});
            Array<std::int32_t> group(scores.size());
            Array<double> upper(scores.size()), tied(scores.size());
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                const Index depth = std::clamp<Index>(depths[q], 0, at_rank.size());
                swaps::mean_discounts(scores.slice(start, end), {at_rank, to_rank}, depth, group.slice(start, end),
                                      upper.slice(start, end), tied.slice(start, end));
            });
            return std::tuple(std::move(group), std::move(upper), std::move(tied));
        },
        released);
}

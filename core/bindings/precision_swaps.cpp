#include "measures/pairs/precision_swaps.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(precision_swaps) {
    m.def(
        "split_changes",
        [](Span<const double> scores, Span<const bool> relevant, Span<const Index> offsets, Span<const double> alone,
           Span<const double> each_above) {
            check_queries(offsets, {scores.size(), relevant.size()});
            check_length(alone.size(), {each_above.size()});
            for (Index q = 0; q + 1 < offsets.size(); ++q)
                if (offsets[q + 1] - offsets[q] > alone.size())
                    throw std::invalid_argument("a query of more documents than there are ranks with earnings");
            Array<std::int32_t> group(scores.size());
            Array<double> upper(scores.size()), lower(scores.size()), tied(scores.size());
            for_each_query(offsets, [&](Index, Index start, Index end) {
                precision_swaps::split_changes(scores.slice(start, end), relevant.slice(start, end), {alone, each_above},
                                               group.slice(start, end), upper.slice(start, end), lower.slice(start, end),
                                               tied.slice(start, end));
            });
            return std::tuple(std::move(group), std::move(upper), std::move(lower), std::move(tied));
        },
        released);
}

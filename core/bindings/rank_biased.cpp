#include "measures/rank_biased.hpp"

#include "bindings/queries.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(rank_biased) {
    m.def(
        "evaluate",
        [](Span<const double> scores, Span<const bool> relevant, Span<const Index> offsets, Span<const double> to_rank) {
            check_queries(offsets, {scores.size(), relevant.size()});
            check_at_least(1, to_rank.size());
            return query_values(offsets, [&](Index, Index start, Index end) {
                return rank_biased::value(scores.slice(start, end), relevant.slice(start, end), to_rank);
            });
        },
        released);
}

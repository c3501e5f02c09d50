#include "measures/dcg.hpp"

#include "bindings/queries.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(dcg) {
    m.def(
        "evaluate",
        [](Span<const double> scores, Span<const double> gains, Span<const Index> offsets, Span<const double> discounts) {
            check_queries(offsets, {scores.size(), gains.size()});
            return query_values(offsets, [&](Index, Index start, Index end) {
                return dcg::value(scores.slice(start, end), gains.slice(start, end), discounts);
            });
        },
        released);
    m.def(
        "ideal",
        [](Span<const double> gains, Span<const Index> offsets, Span<const double> to_rank) {
            check_queries(offsets, {gains.size()});
            check_at_least(1, to_rank.size());
            return query_values(offsets, [&](Index, Index start, Index end) {
                return dcg::ideal(gains.slice(start, end), to_rank);
            });
        },
        released);
}

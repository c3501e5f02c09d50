#include "measures/dcg.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(dcg) {
    m.def(
        "evaluate",
        [](Span<const double> scores, Span<const double> gains, Span<const Index> offsets, Span<const double> discounts) {
            check_queries(offsets, {scores.size(), gains.size()});
            Array<double> values(offsets.size() - 1);
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                values[q] = dcg::value(scores.slice(start, end), gains.slice(start, end), discounts);
            });
            return values;
        },
        released);
    m.def(
        "ideal",
        [](Span<const double> gains, Span<const Index> offsets, Span<const double> to_rank) {
            check_queries(offsets, {gains.size()});
            check_at_least(1, to_rank.size());
            Array<double> values(offsets.size() - 1);
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                values[q] = dcg::ideal(gains.slice(start, end), to_rank);
            });
            return values;
        },
        released);
}

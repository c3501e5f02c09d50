#include "measures/precision_recall_area.hpp"

#include "bindings/queries.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(precision_recall_area) {
    m.def(
        "evaluate",
        [](Span<const double> scores, Span<const bool> relevant, Span<const Index> n_relevant, Span<const Index> offsets) {
            check_queries(offsets, {scores.size(), relevant.size()});
            check_length(offsets.size() - 1, {n_relevant.size()});
            check_counts(n_relevant, TOO_MANY_DOCUMENTS);
            return query_values(offsets, [&](Index q, Index start, Index end) {
                return precision_recall_area::value(scores.slice(start, end), relevant.slice(start, end), n_relevant[q]);
            });
        },
        released);
}

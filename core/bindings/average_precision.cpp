#include "measures/average_precision.hpp"

#include "bindings/queries.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(average_precision) {
    m.def(
        "evaluate",
        [](Span<const double> scores, Span<const bool> relevant, Span<const Index> n_relevant, Span<const Index> offsets,
           Index k) {
            check_queries(offsets, {scores.size(), relevant.size()});
            check_length(offsets.size() - 1, {n_relevant.size()});
            check_counts(n_relevant, TOO_MANY_DOCUMENTS);
            return query_values(offsets, [&](Index q, Index start, Index end) {
                return average_precision::value(scores.slice(start, end), relevant.slice(start, end), n_relevant[q], k);
            });
        },
        released);
}

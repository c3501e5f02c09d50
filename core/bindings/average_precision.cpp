#include "measures/average_precision.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(average_precision) {
    m.def(
        "evaluate",
        [](Span<const double> scores, Span<const bool> relevant, Span<const Index> n_relevant, Span<const Index> offsets,
           Index k) {
            check_queries(offsets, {scores.size(), relevant.size()});
            Array<double> values(offsets.size() - 1);
            check_length(values.size(), {n_relevant.size()});
            check_counts(n_relevant, TOO_MANY_DOCUMENTS);
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                values[q] = average_precision::value(scores.slice(start, end), relevant.slice(start, end), n_relevant[q], k);
            });
            return values;
        },
        released);
}

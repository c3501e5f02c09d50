#include "measures/multi_class.hpp"

#include "bindings/queries.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(multi_class) {
    m.def(
        "evaluate",
        [](Span<const double> scores, Span<const double> grades, Span<const Index> offsets, double threshold,
           bool is_pooled) {
            check_queries(offsets, {scores.size(), grades.size()});
            return query_values(offsets, [&](Index, Index start, Index end) {
                return multi_class::value(scores.slice(start, end), grades.slice(start, end), threshold, is_pooled);
            });
        },
        released);
}

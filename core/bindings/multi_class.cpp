#include "measures/multi_class.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(multi_class) {
    m.def(
        "evaluate",
        [](Span<const double> scores, Span<const double> grades, Span<const Index> offsets, double threshold,
           bool is_pooled) {
            check_queries(offsets, {scores.size(), grades.size()});
            Array<double> values(offsets.size() - 1);
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                values[q] = multi_class::value(scores.slice(start, end), grades.slice(start, end), threshold, is_pooled);
            });
            return values;
        },
        released);
}

#include "measures/interpolated_precision.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(interpolated_precision) {
    m.def(
        "precisions_at_recalls",
        [](Span<const double> scores, Span<const bool> relevant, Span<const Index> offsets, Span<const double> recalls,
           double rounding) {
            check_queries(offsets, {scores.size(), relevant.size()});
            for (const double recall : recalls)
                if (!(recall >= 0 && recall <= 1)) throw std::invalid_argument("a recall that is not between 0 and 1");
            Table<double> values(offsets.size() - 1, recalls.size());
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                interpolated_precision::at_recalls(scores.slice(start, end), relevant.slice(start, end), recalls, rounding,
                                                   values[q]);
            });
            return values;
        },
        released);
}

#include "measures/violations/labelling.hpp"

#include "bindings/queries.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(labelling) {
    m.def(
        "most_violated_break_even",
        [](Span<const double> scores, Span<const bool> relevant, Span<const Index> offsets) {
            check_queries(offsets, {scores.size(), relevant.size()});
            return violation(offsets, [&](Index, Index start, Index end, Span<double> coefficients) {
                return labelling::break_even(scores.slice(start, end), relevant.slice(start, end), coefficients);
            });
        },
        released);
    m.def(
        "most_violated_ratio",
        [](Span<const double> scores, Span<const bool> relevant, Span<const Index> offsets, double gain, double own,
           double wanted) {
            check_queries(offsets, {scores.size(), relevant.size()});
            return violation(offsets, [&](Index, Index start, Index end, Span<double> coefficients) {
                return labelling::ratio(scores.slice(start, end), relevant.slice(start, end), gain, own, wanted,
                                        coefficients);
            });
        },
        released);
}

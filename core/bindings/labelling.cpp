#include "measures/violations/labelling.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(labelling) {
    m.def(
        "most_violated_of_as_many",
        [](Span<const double> scores, Span<const bool> relevant, Span<const Index> offsets) {
            check_queries(offsets, {scores.size(), relevant.size()});
            Array<double> coefficients(scores.size()), losses(offsets.size() - 1);
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                losses[q] = labelling::as_many(scores.slice(start, end), relevant.slice(start, end),
                                               coefficients.slice(start, end));
            });
            return std::pair(std::move(coefficients), std::move(losses));
        },
        released);
    m.def(
        "most_violated_ratio",
        [](Span<const double> scores, Span<const bool> relevant, Span<const Index> offsets, double gain, double own,
           double wanted) {
            check_queries(offsets, {scores.size(), relevant.size()});
            Array<double> coefficients(scores.size()), losses(offsets.size() - 1);
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                losses[q] = labelling::ratio(scores.slice(start, end), relevant.slice(start, end), gain, own, wanted,
                                             coefficients.slice(start, end));
            });
            return std::pair(std::move(coefficients), std::move(losses));
        },
        released);
}

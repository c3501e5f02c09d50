#include "measures/pairs/first_relevant.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(first_relevant) {
    m.def(
        "lambdas",
        [](Span<const double> scores, Span<const bool> relevant, Span<const Index> offsets, Span<const double> values,
           bool by_distance) {
            check_queries(offsets, {scores.size(), relevant.size()});
            auto gradient = Array<double>::zeros(scores.size()), hessian = Array<double>::zeros(scores.size());
            for_each_query(offsets, [&](Index, Index start, Index end) {
                first_relevant::sum(scores.slice(start, end), relevant.slice(start, end), values, by_distance, gradient.slice(start, end),
                                    hessian.slice(start, end));
            });
            return std::pair(std::move(gradient), std::move(hessian));
        },
        released);
}

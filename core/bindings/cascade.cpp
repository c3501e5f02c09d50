#include "measures/pairs/cascade.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(cascade) {
    m.def(
        "lambdas",
        [](Span<const double> scores, Span<const double> grades, Span<const double> stops, Span<const Index> offsets,
           Index depth) {
            check_queries(offsets, {scores.size(), grades.size(), stops.size()});
            auto gradient = Array<double>::zeros(scores.size()), hessian = Array<double>::zeros(scores.size());
            for_each_query(offsets, [&](Index, Index start, Index end) {
                if (start < end)
                    cascade::sum(scores.slice(start, end), grades.slice(start, end), stops.slice(start, end), depth,
                                 gradient.slice(start, end), hessian.slice(start, end));
            });
            return std::pair(std::move(gradient), std::move(hessian));
        },
        released);
}

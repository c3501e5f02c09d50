#include "learners/boosting/rankboost.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(rankboost) {
    m.def(
        "potentials",
        [](Span<const double> H, Span<const std::int32_t> level, Span<const Index> offsets, Span<const double> weights) {
            check_queries(offsets, {H.size(), level.size()});
            auto potential = Array<double>::zeros(H.size());
            auto losses = Array<double>::zeros(offsets.size() - 1);
            check_length(losses.size(), {weights.size()});
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                check_range(level.slice(start, end), 0, end - start);
                if (weights[q] > 0)
                    losses[q] = weights[q] * rankboost::potentials(H.slice(start, end), level.slice(start, end), weights[q],
                                                                   potential.slice(start, end));
            });
            return std::pair(std::move(potential), std::move(losses));
        },
        released);
}

#include "models/stumps.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

constexpr Index ROWS_OF_A_PART = 1024;

template <class Value>
static Array<double> sum_above(
    Grid<const Value> X, Span<const Index> features, Span<const double> thresholds, Span<const double> weights) {
    check_length(features.size(), {thresholds.size(), weights.size()});
    check_range(features, 0, X.columns());
    const stumps::Used used(features);
    Array<double> scores(X.rows());
    for_each_block(X.rows(), ROWS_OF_A_PART, [&](Index start, Index end) {
        auto columns = Array<double>::zeros(static_cast<Index>(used.features.size()) * stumps::STRIDE);
        for (Index first = start; first < end; first += stumps::BLOCK) {
            const Index last = std::min(first + stumps::BLOCK, end);
            const Grid<const Value> rows(X.data() + first * X.columns(), last - first, X.columns());
            stumps::sum_above(rows, used, thresholds, weights, columns, scores.slice(first, last));
        }
    });
    return scores;
}

DIRECTRANK_KERNELS(stumps) {
    m.def("sum_above", &sum_above<float>, released);
    m.def("sum_above", &sum_above<double>, released);
}

#include "learners/svm/risk.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(risk) {
    m.def(
        "interpolate",
        [](Span<const double> at_start, Span<const double> at_target, double t) {
            check_length(at_start.size(), {at_target.size()});
            return risk::interpolate(at_start, at_target, t);
        },
        released);
    m.def(
        "weight",
        [](Span<const double> coefficients, Span<const Index> offsets, Span<const double> weights) {
            check_queries(offsets, {coefficients.size()});
            check_length(offsets.size() - 1, {weights.size()});
            return risk::weight(coefficients, offsets, weights);
        },
        released);
    m.def(
        "products",
        [](Span<const double> coefficients, Span<const double> at_start, Span<const double> at_target) {
            check_length(coefficients.size(), {at_start.size(), at_target.size()});
            return risk::products(coefficients, at_start, at_target);
        },
        released);
}

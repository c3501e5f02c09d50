#include "learners/svm/dual.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(dual) {
    m.def(
        "solve",
        [](Grid<const double> planes, Span<const double> offsets, double total, Span<const double> start, Index max_steps) {
            check_length(planes.rows(), {offsets.size(), start.size()});
            if (!(total >= 0)) throw std::invalid_argument("a sum of multipliers that is negative, or not a number");
            auto found = dual::solve(planes, offsets, total, start, max_steps);
            return std::tuple(std::move(found.alpha), std::move(found.w), found.converged);
        },
        released);
}

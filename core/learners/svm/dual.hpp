// Dual of the cutting-plane method: optimal multipliers and weights for the current planes; see learners/svm/dual.py.
#pragma once

#include "span.hpp"

namespace directrank::dual {

// Orthogonalises a vector against the rows of an orthonormal basis; writes the subtracted components to `along`.
void orthogonalise(Span<double> vector, Grid<const double> basis, Span<double> along);

struct Optimum {
    Array<double> alpha, w;
    bool converged;
};

// Optimum over multipliers alpha >= 0 with a sum of at most `total`, by an active-set method from a feasible `start`; the
// last iterate if it has not converged within `max_steps` steps.
Optimum solve(Grid<const double> planes, Span<const double> offsets, double total, Span<const double> start,
              Index max_steps);

}  // namespace directrank::dual

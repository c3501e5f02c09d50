// The dual of the cutting-plane method: the best multipliers and weights for the planes so far; see learners/svm/dual.py.
#pragma once

#include "span.hpp"

namespace directrank::dual {

// Subtracts from a vector its components along the rows of an orthonormal basis, and writes them to `along`.
void orthogonalise(Span<double> vector, Grid<const double> basis, Span<double> along);

struct Optimum {
    Array<double> alpha, w;
    bool converged;
};

// The optimum over multipliers alpha >= 0 whose sum is at most `total`, by an active-set method from a feasible `start`;
// unless it has converged within `max_steps` steps, a point on the way to it.
Optimum solve(Grid<const double> planes, Span<const double> offsets, double total, Span<const double> start,
              Index max_steps);

}  // namespace directrank::dual

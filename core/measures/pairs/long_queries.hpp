// Approximate sums over the pairs of a query with too many pairs to visit.
//
// For the better documents i and the worse ones j of a query it computes, without visiting the pairs,
//
//     sum_j |D_i - D_j| phi(s_i - s_j),   phi(y) = 1/(1 + e^y)  or  e^y/(1 + e^y)^2
//
// and the same for each j. Documents are sorted by score and cut into cells of width h = 1/32. The effect of a cell on a
// distant one is given by six of its moments (of 1, delta and delta^2, each plain and times D, delta being the distance from
// the cell's centre), a Taylor series to the second order; the sum is computed at three points of each cell and interpolated
// between them. Within a cell phi is a polynomial, and running sums along the sorted documents give the pairs. So a query of
// n documents takes O(n) time plus the square of the number of cells.
//
// Third derivatives of phi are at most 1/8 in absolute value. That leaves, relative to sum_j |D_i - D_j|, at most h^3/384 of
// the series, h^3/1536 of the interpolation and h^3/48 within a cell: below 10^-6 in all for the gradient (the test has the
// bound), and no more for the hessian.
#pragma once

#include "measures/pairs/pairwise.hpp"

namespace directrank::long_queries {

// Scores with a larger spread are not divided into cells.
constexpr double MAX_SPREAD = 1e9;

// Adds the sums over all pairs of the first `n_worse` documents, of one grade, and the others, of a better one.
void sum(pairwise::Documents& documents, Index n_worse);

}  // namespace directrank::long_queries

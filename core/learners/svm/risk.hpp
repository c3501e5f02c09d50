// Scores along a line, and their products with the coefficients of the most violated output; see learners/svm/risk.py.
#pragma once

#include <utility>

#include "span.hpp"

namespace directrank::risk {

// Scores at the fraction t of the line.
Array<double> interpolate(Span<const double> at_start, Span<const double> at_target, double t);

// Coefficients times the weights of their queries.
Array<double> weight(Span<const double> coefficients, Span<const Index> offsets, Span<const double> weights);

// c^T s and c^T s', summed by blocks, so that rounding errors do not grow with the number of rows.
std::pair<double, double> products(Span<const double> coefficients, Span<const double> at_start,
                                   Span<const double> at_target);

}  // namespace directrank::risk

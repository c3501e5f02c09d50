// Lambdas of the expected reciprocal rank of one query; formulas are in measures/pairs/cascade.py.
#pragma once

#include "span.hpp"

namespace directrank::cascade {

// Writes the lambdas of one query; `stops` are the probabilities to stop at each document, `depth` is the last rank that
// counts.
void sum(Span<const double> scores, Span<const double> grades, Span<const double> stops, Index depth, Span<double> gradient,
         Span<double> hessian);

}  // namespace directrank::cascade

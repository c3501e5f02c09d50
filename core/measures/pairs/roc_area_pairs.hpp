// Lambdas of the ROC area of one query; formulas are in measures/pairs/roc_area_pairs.py.
#pragma once

#include <cstdint>

#include "measures/pairs/pairwise.hpp"
#include "span.hpp"

namespace directrank::roc_area_pairs {

// Writes the lambdas of one query, a pair in the right order being worth `weight`.
void sum(Span<const double> scores, Span<const std::int32_t> by_level, Span<const std::int32_t> level, double weight,
         pairwise::Limits limits, Span<double> gradient, Span<double> hessian);

}  // namespace directrank::roc_area_pairs

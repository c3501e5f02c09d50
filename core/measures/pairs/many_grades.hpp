// Lambdas of the ROC area of one query with many grades; formulas are in measures/pairs/roc_area_pairs.py.
#pragma once

#include <cstdint>

#include "span.hpp"

namespace directrank::many_grades {

// Writes the lambdas, each pair visited once from its upper document; a pair in the right order is worth `weight`, and may
// count by the distance of its scores.
void sum(Span<const double> scores, Span<const std::int32_t> level, Index n_levels, double weight, Index n_parts,
         bool by_distance, Span<double> gradient, Span<double> hessian);

}  // namespace directrank::many_grades

// Soft pairs of one query; the definition is in measures/smoothing/soft_pairs.py.
#pragma once

#include "span.hpp"

namespace directrank::soft_pairs {

// Number of pairs of unequal grade in the right order, each weighted by Phi((s_i - s_j)/sigma), of documents by descending
// score; pairs further apart than `reach` are counted. Writes its derivative by each score, times sigma.
double sum(Span<const double> scores, Span<const std::int32_t> level, Index n_levels, double sigma, double reach,
           Span<double> gradient);

}  // namespace directrank::soft_pairs

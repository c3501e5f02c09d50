// Means of resampled queries; see evaluation/bootstrap.py.
#pragma once

#include <cstdint>

#include "span.hpp"

namespace directrank::bootstrap {

// Number of resamples summed side by side, so that their additions do not wait for each other.
constexpr Index GROUP = 4;

// Writes the means over the queries drawn for resamples `first` to `first + GROUP - 1`, a row for each.
//
// `values` has a row of `n_columns` for each of `n_queries`. A resample draws `n_queries` queries with replacement.
void resampled_means(const double* values, Index n_queries, Index n_columns, Index first, std::uint64_t seed, double* means);

}  // namespace directrank::bootstrap

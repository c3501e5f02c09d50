// Means of resampled queries; see evaluation/bootstrap.py.
#pragma once

#include <cstdint>

#include "span.hpp"

namespace directrank::bootstrap {

// Resamples that are summed at once, so that additions of one need not wait for those of another.
constexpr Index GROUP = 4;

// Writes the means over the queries drawn for resamples `first` to `first + GROUP - 1`, a row for each.
//
// `values` has a row of `n_columns` for each of `n_queries`. A resample has as many queries as there are, drawn with replacement.
void resampled_means(const double* values, Index n_queries, Index n_columns, Index first, std::uint64_t seed, double* means);

}  // namespace directrank::bootstrap

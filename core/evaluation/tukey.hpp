// Ranges of sums of randomly permuted values, for the randomised Tukey test; see evaluation/tukey.py.
#pragma once

#include <cstdint>

#include "span.hpp"

namespace directrank::tukey {

// Number of permutations per block of work.
constexpr Index BLOCK = 256;

// Writes the range of the rankings' sums, largest minus smallest, for each permutation from `start` to before `end`.
//
// `values` has a row for each query and a column for each ranking. A permutation shuffles each row on its own.
void permuted_ranges(Grid<const double> values, Index start, Index end, std::uint64_t seed, double* ranges);

}  // namespace directrank::tukey

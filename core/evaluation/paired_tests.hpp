// Sums of values with random signs, for Fisher's randomisation test; see evaluation/paired_tests.py.
#pragma once

#include <cstdint>

#include "span.hpp"

namespace directrank::paired_tests {

// Number of queries whose signs are one random word, and number of rankings summed at once.
constexpr Index WORD = 64, GROUP = 4;

// Number of permutations per block of work.
constexpr Index BLOCK = 2048;

// Sums of each ranking's values with the signs of each permutation from `start` to before `end`: a row for each ranking.
//
// `centred` has a row for each query, padded to multiples of WORD queries and GROUP rankings.
Table<double> signed_sums(Grid<const double> centred, Index start, Index end, std::uint64_t seed);

// Number of permutations, of n, in which the absolute difference of two sums reaches a threshold.
Index count_reaching(const double* first, const double* second, Index n, double threshold);

}  // namespace directrank::paired_tests

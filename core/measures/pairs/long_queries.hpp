// Sums over the pairs of a query that has too many of them to visit; the method is in measures/pairs/long_queries.py.
#pragma once

#include "measures/pairs/pairwise.hpp"

namespace directrank::long_queries {

// Scores further apart than this are not put into cells.
constexpr double MAX_SPREAD = 1e9;

// Adds the sums over all pairs of the first `n_worse` documents, of one grade, and the others, of a better one.
void sum(pairwise::Documents& documents, Index n_worse);

}  // namespace directrank::long_queries

// Potentials of the documents of one query; the algorithm is in learners/boosting/rankboost.py.
#pragma once

#include "span.hpp"

namespace directrank::rankboost {

// Writes the potentials of a query's documents times its weight,
//
//     pi(x_i) = e^-H(x_i) sum_{l_j < l_i} e^H(x_j) - e^H(x_i) sum_{l_j > l_i} e^-H(x_j),
//
// and returns the sum of e^(H(x_j) - H(x_i)) over its pairs, l_i > l_j.
double potentials(Span<const double> H, Span<const std::int32_t> level, double weight, Span<double> potential);

}  // namespace directrank::rankboost

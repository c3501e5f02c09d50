// Potentials of documents; see learners/boosting/rankboost.py.
#pragma once

#include "span.hpp"

namespace directrank::rankboost {

// Fills in a query's potentials, weighted,
//
//     pi(x_i) = e^-H(x_i) sum_{l_j < l_i} e^H(x_j) - e^H(x_i) sum_{l_j > l_i} e^-H(x_j),
//
// and gives the sum of e^(H(x_j) - H(x_i)) over its pairs, l_i > l_j.
double potentials(Span<const double> H, Span<const std::int32_t> level, double weight, Span<double> potential);

}  // namespace directrank::rankboost

// Planes of the cutting-plane method; see learners/svm/bundle.py.
#pragma once

#include "span.hpp"

namespace directrank::bundle {

// total += weight vector
void add_multiple(Span<double> total, double weight, Span<const double> vector);

}  // namespace directrank::bundle

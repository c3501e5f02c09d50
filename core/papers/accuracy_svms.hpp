// Subgradient of the hinge loss at the best threshold; see papers/accuracy_svms.py.
#pragma once

#include "span.hpp"

namespace directrank::accuracy_svms {

// a_i v_i y_i of each document at the best threshold b.
//
// As b rises past 1 - s_i the loss of a relevant document becomes zero, and past -1 - s_i the loss of another becomes
// positive. If that happens at the best b itself, the loss has a range of slopes, and a_i makes their sum 0.
Array<double> balanced(Span<const double> scores, Span<const bool> relevant, double ratio);

}  // namespace directrank::accuracy_svms

// Most violated output of the hinge loss at the optimal threshold; see papers/accuracy_svms.py.
#pragma once

#include "span.hpp"

namespace directrank::accuracy_svms {

// a_i v_i y_i of each document at the optimal threshold b.
//
// As b rises past 1 - s_i the loss of a relevant document ends, and past -1 - s_i that of a non-relevant one begins. If that
// happens at the optimal b itself, the loss has a range of slopes there, and a_i is chosen to make their sum 0.
Array<double> balanced(Span<const double> scores, Span<const bool> relevant, double ratio);

}  // namespace directrank::accuracy_svms

// Maximum and minimum of an array.
#pragma once

#include "span.hpp"

namespace directrank {

// Maximum, ignoring NaN; -inf for an empty array.
double highest(Span<const double> values);

// Minimum, ignoring NaN; inf for an empty array.
double lowest(Span<const double> values);

}  // namespace directrank

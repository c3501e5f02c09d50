// The highest and the lowest of many values.
#pragma once

#include "span.hpp"

namespace directrank {

// -inf if there are no values; NaN is passed over.
double highest(Span<const double> values);

// inf if there are no values; NaN is passed over.
double lowest(Span<const double> values);

}  // namespace directrank

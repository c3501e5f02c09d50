// A histogram of values: finds a bound of the best of them without sorting.
#pragma once

#include "span.hpp"

namespace directrank::histogram {

// Bins of equal width: a value x is in number (x - low) * scale, without the fraction.
struct Bins {
    static constexpr Index COUNT = 1024;

    double low, scale;

    Bins(double low, double high)
        : low(low), scale(high - low > 1e-300 ? static_cast<double>(COUNT - 1) / (high - low) : 0.0) {}
};

// Bins from the lowest to the highest of values.
Bins bins_of(const double* values, Index n);

// The highest bin such that at least `depth` values are in it or above; 0 if there are fewer. All values must be in bins,
// but for rounding.
Index bin_of_best(const double* values, Index n, const Bins& bins, Index depth);

}  // namespace directrank::histogram

// Histograms, for a lower bound on the top values without sorting.
#pragma once

#include "span.hpp"

namespace directrank::histogram {

// Bins of equal width: value x is in bin floor((x - low) * scale).
struct Bins {
    static constexpr Index COUNT = 1024;

    double low, scale;

    Bins(double low, double high)
        : low(low), scale(high - low > 1e-300 ? static_cast<double>(COUNT - 1) / (high - low) : 0.0) {}
};

// Bins from the lowest to the highest value.
Bins bins_of(const double* values, Index n);

// The highest bin such that at least `depth` values are in it or above; 0 if there are fewer. All values must be in bins, up
// to rounding.
Index top_bin(const double* values, Index n, const Bins& bins, Index depth);

}  // namespace directrank::histogram

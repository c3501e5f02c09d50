// Values of a soft ranking of one query, and their derivatives by the expected gain p_r at each rank; see
// measures/smoothing/smoothed_values.py.
#pragma once

#include "span.hpp"

namespace directrank::smoothed_values {

// sum_r p_r D(r).
inline double discounted(Span<const double> expected, Span<const double> discounts, Span<double> slopes) {
    double value = 0;
    for (Index r = 0; r < expected.size(); ++r) {
        slopes[r] = discounts[r];
        value += discounts[r] * expected[r];
    }
    return value;
}

// 1/R sum_r p_r (g(r) + h(r) sum_{r' < r} p_r'). The derivative by p_r has the contribution of rank r, and its effect on the
// ranks below.
inline double precisions(Span<const double> expected, Span<const double> alone, Span<const double> each_above,
                         Index n_relevant, Span<double> slopes) {
    const auto R = static_cast<double>(n_relevant > 1 ? n_relevant : 1);
    double value = 0, above = 0, below = 0;
    for (Index r = 0; r < expected.size(); ++r) {
        const double earned = alone[r] + above * each_above[r];
        value += expected[r] * earned / R;
        slopes[r] = earned / R;
        above += expected[r];
    }
    for (Index r = expected.size() - 1; r >= 0; --r) {
        slopes[r] += below / R;
        below += expected[r] * each_above[r];
    }
    return value;
}

// sum_r v(r) p_r prod_{i < r} (1 - p_i): from below, the value for a user who continues past each rank; from above, the
// probability of reaching it.
inline double cascade(Span<const double> expected, Span<const double> worth, Span<double> slopes) {
    double value = 0, reached = 1;
    for (Index r = expected.size() - 1; r >= 0; --r) {
        slopes[r] = worth[r] - value;
        value += expected[r] * (worth[r] - value);
    }
    for (Index r = 0; r < expected.size(); ++r) {
        slopes[r] *= reached;
        reached *= 1 - expected[r];
    }
    return value;
}

}  // namespace directrank::smoothed_values

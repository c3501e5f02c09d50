// Sums in a fixed number of lanes: they vectorise, and give the same bits on every machine.
#pragma once

#include <limits>

#include "span.hpp"

namespace directrank {

// Number of partial sums: lane l sums the terms l, l + LANES, l + 2 LANES, ...
constexpr int LANES = 16;

// Combines the two halves of the lanes until one lane is left.
template <int N, class Operation>
inline double fold_lanes(const double* lanes, const Operation& operation) {
    if constexpr (N == 1) {
        return lanes[0];
    } else {
        constexpr int HALF = N / 2;
        double folded[HALF];
        for (int lane = 0; lane < HALF; ++lane) folded[lane] = operation(lanes[lane], lanes[lane + HALF]);
        return fold_lanes<HALF>(folded, operation);
    }
}

// Sums `term(i)` for i below n.
template <class Term>
inline double sum_in_lanes(Index n, const Term& term) {
    double lanes[LANES] = {};
    const Index whole = n - n % LANES;
    for (Index i = 0; i < whole; i += LANES)
        for (int lane = 0; lane < LANES; ++lane) lanes[lane] += term(i + lane);
    for (int lane = 0; lane < LANES; ++lane)  // a constant trip count keeps the lanes in registers
        if (lane < n - whole) lanes[lane] += term(whole + lane);
    return fold_lanes<LANES>(lanes, [](double a, double b) { return a + b; });
}

// Maximum of `term(i)` for i below n, ignoring NaN; -inf if n is 0.
template <class Term>
inline double highest_in_lanes(Index n, const Term& term) {
    double lanes[LANES];
    for (int lane = 0; lane < LANES; ++lane) lanes[lane] = -std::numeric_limits<double>::infinity();
    const auto higher = [](double highest, double value) { return value > highest ? value : highest; };
    const Index whole = n - n % LANES;
    for (Index i = 0; i < whole; i += LANES)
        for (int lane = 0; lane < LANES; ++lane) lanes[lane] = higher(lanes[lane], term(i + lane));
    for (int lane = 0; lane < LANES; ++lane)
        if (lane < n - whole) lanes[lane] = higher(lanes[lane], term(whole + lane));
    return fold_lanes<LANES>(lanes, higher);
}

}  // namespace directrank

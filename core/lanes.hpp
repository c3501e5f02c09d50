// Sums in a fixed number of lanes: they vectorise, and give the same bits on every machine.
#pragma once

#include <limits>

#include "span.hpp"

namespace directrank {

// Number of partial sums: lane l sums the terms l, l + LANES, l + 2 LANES, ...
constexpr int LANES = 16;

// Sums `term(i)` for i below n.
template <class Term>
inline double sum_in_lanes(Index n, const Term& term) {
    double lanes[LANES] = {};
    const Index whole = n - n % LANES;
    for (Index i = 0; i < whole; i += LANES)
        for (int lane = 0; lane < LANES; ++lane) lanes[lane] += term(i + lane);
    for (Index i = whole; i < n; ++i) lanes[i - whole] += term(i);
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
    return lanes[0];
}

// The highest `term(i)` for i below n, -inf if there is none; NaN is passed over.
template <class Term>
inline double highest_in_lanes(Index n, const Term& term) {
    double lanes[LANES];
    for (int lane = 0; lane < LANES; ++lane) lanes[lane] = -std::numeric_limits<double>::infinity();
    const auto raise = [](double& highest, double value) { highest = value > highest ? value : highest; };
    const Index whole = n - n % LANES;
    for (Index i = 0; i < whole; i += LANES)
        for (int lane = 0; lane < LANES; ++lane) raise(lanes[lane], term(i + lane));
    for (Index i = whole; i < n; ++i) raise(lanes[i - whole], term(i));
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int lane = 0; lane < width; ++lane) raise(lanes[lane], lanes[lane + width]);
    return lanes[0];
}

}  // namespace directrank

// Sums in a fixed number of lanes: they vectorise, and give the same bits on every machine.
#pragma once

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

}  // namespace directrank

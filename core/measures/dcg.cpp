#include "measures/dcg.hpp"

#include <limits>

#include "clones.hpp"
#include "lanes.hpp"

namespace directrank::dcg {
namespace {

// Distinct gains that are gone down before the rest is sorted; usually they are few.
constexpr int MAX_PASSES = 16;

// The highest gain below a bound, 0 if none is above 0, and the number of documents that have it.
struct Highest {
    double gain;
    Index count;
};

DIRECTRANK_CLONES
Highest highest_below(const double* gains, Index n, double bound) {
    double lanes[LANES] = {};
    const Index whole = n - n % LANES;
    for (Index i = 0; i < whole; i += LANES)
        for (int lane = 0; lane < LANES; ++lane) {
            const double gain = gains[i + lane] < bound ? gains[i + lane] : 0.0;
            lanes[lane] = gain > lanes[lane] ? gain : lanes[lane];
        }
    double highest = 0;
    for (Index i = whole; i < n; ++i) highest = gains[i] < bound && gains[i] > highest ? gains[i] : highest;
    for (const double lane : lanes) highest = lane > highest ? lane : highest;
    Index count = 0;
    for (Index i = 0; i < n; ++i) count += gains[i] == highest;
    return {highest, count};
}

}  // namespace

double ideal(Span<const double> gains, Span<const double> to_rank) {
    const Index depth = to_rank.size() - 1;
    double total = 0, bound = std::numeric_limits<double>::infinity();
    Index rank = 0;
    for (int pass = 0; pass < MAX_PASSES; ++pass) {
        const auto [gain, count] = highest_below(gains.data(), gains.size(), bound);
        if (gain == 0 || rank == depth) return total;
        const Index end = std::min(rank + count, depth);
        total += gain * (to_rank[end] - to_rank[rank]);
        rank = end, bound = gain;
    }
    const partial::Ranked<double> best(gains, gains, depth);
    for (; rank < std::min(gains.size(), depth); ++rank) total += best.values[rank] * (to_rank[rank + 1] - to_rank[rank]);
    return total;
}

}  // namespace directrank::dcg

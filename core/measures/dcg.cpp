#include "measures/dcg.hpp"

#include <limits>

#include "clones.hpp"
#include "lanes.hpp"

namespace directrank::dcg {
namespace {

// Number of distinct gains that are visited in turn before the rest is sorted; usually there are few.
constexpr int MAX_PASSES = 16;

// The highest gain below a given gain, 0 if none is above 0, and the number of documents with the given gain.
struct Step {
    double lower;
    Index count;
};

DIRECTRANK_CLONES
Step step_down(const double* gains, Index n, double from) {
    double lower[LANES] = {};
    Index counts[LANES] = {};
    const auto take = [&](double gain, Index lane) {
        const double below = gain < from ? gain : 0.0;
        lower[lane] = below > lower[lane] ? below : lower[lane];
        counts[lane] += gain == from ? 1 : 0;
    };
    const Index whole = n - n % LANES;
    for (Index i = 0; i < whole; i += LANES)
        for (Index lane = 0; lane < LANES; ++lane) take(gains[i + lane], lane);
    for (Index i = whole; i < n; ++i) take(gains[i], i - whole);
    for (Index width = LANES / 2; width > 0; width /= 2)
        for (Index lane = 0; lane < width; ++lane) {
            lower[lane] = lower[lane + width] > lower[lane] ? lower[lane + width] : lower[lane];
            counts[lane] += counts[lane + width];
        }
    return {lower[0], counts[0]};
}

}  // namespace

double ideal(Span<const double> gains, Span<const double> to_rank) {
    const Index depth = to_rank.size() - 1;
    double total = 0, gain = step_down(gains.data(), gains.size(), std::numeric_limits<double>::infinity()).lower;
    Index rank = 0;
    for (int pass = 0; pass < MAX_PASSES; ++pass) {
        if (gain == 0 || rank == depth) return total;
        const auto [lower, count] = step_down(gains.data(), gains.size(), gain);
        const Index end = std::min(rank + count, depth);
        total += gain * (to_rank[end] - to_rank[rank]);
        rank = end, gain = lower;
    }
    const partial::Ranked<double> best(gains, gains, depth);
    for (; rank < std::min(gains.size(), depth); ++rank) total += best.values[rank] * (to_rank[rank + 1] - to_rank[rank]);
    return total;
}

}  // namespace directrank::dcg

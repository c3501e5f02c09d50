#include "measures/smoothing/soft_pairs.hpp"

#include <algorithm>

#include "clones.hpp"
#include "elementary.hpp"
#include "lanes.hpp"
#include "measures/ranking/level_counts.hpp"

namespace directrank::soft_pairs {
namespace {

constexpr double ROOT_2_PI = 2.5066282746310002;

// Number of documents compared with one at a time.
constexpr Index CHUNK = 256;

// Doubles of the widest vector.
constexpr Index VECTOR = 8;

struct Sums {
    double in_order = 0, density = 0;
};

// Adds the pairs of unequal grade of a run of documents and one below all of them.
DIRECTRANK_CLONES
Sums add_pairs(const double* scores, const std::int32_t* level, Index n, double score, std::int32_t own_level, double sigma,
               double* __restrict gradient) {
    Sums sums;
    Index unequal[CHUNK];
    double distances[CHUNK], signs[CHUNK], ordered[CHUNK], densities[CHUNK];
    for (Index start = 0; start < n; start += CHUNK) {
        Index n_unequal = 0;
        for (Index i = start; i < std::min(start + CHUNK, n); ++i) {
            unequal[n_unequal] = i;
            n_unequal += level[i] != own_level;
        }
        for (Index k = 0; k < n_unequal; ++k) {
            const double other = scores[unequal[k]];
            distances[k] = (other != score ? other - score : 0) / sigma;
            signs[k] = level[unequal[k]] > own_level ? 1 : -1;
        }
        // Whole vectors, as runs are often short: a scalar remainder would be most of the work.
        const Index whole = (n_unequal + VECTOR - 1) / VECTOR * VECTOR;
        for (Index k = n_unequal; k < whole; ++k) distances[k] = 0, signs[k] = 0;
        for (Index k = 0; k < whole; ++k) {
            const double u = distances[k], e = exponential(-0.5 * u * u), tail = scaled_normal_tail(u) * e;
            ordered[k] = signs[k] > 0 ? 1 - tail : tail;
            densities[k] = signs[k] * e / ROOT_2_PI;
        }
        for (Index k = 0; k < n_unequal; ++k) gradient[unequal[k]] += densities[k];
        sums.in_order += sum_in_lanes(n_unequal, [&](Index k) { return ordered[k]; });
        sums.density += sum_in_lanes(n_unequal, [&](Index k) { return densities[k]; });
    }
    return sums;
}

}  // namespace

// Goes down the ranking; documents above and out of reach are counted by grade.
double sum(Span<const double> scores, Span<const std::int32_t> level, Index n_levels, double sigma, double reach,
           Span<double> gradient) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    return level_counts::with_counts(n_levels, [&](auto& above) {
        double in_order = 0;
        Index first = 0;
        for (Index j = 0; j < scores.size(); ++j) {
            for (; scores[first] - scores[j] > reach; ++first) above.add(level[first]);
            in_order += static_cast<double>(first - above.count_to(level[j]));
            const auto sums = add_pairs(scores.data() + first, level.data() + first, j - first, scores[j], level[j], sigma,
                                        gradient.data() + first);
            in_order += sums.in_order;
            gradient[j] -= sums.density;
        }
        return in_order;
    });
}

}  // namespace directrank::soft_pairs

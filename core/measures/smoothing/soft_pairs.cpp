#include "measures/smoothing/soft_pairs.hpp"

#include <algorithm>

#include "clones.hpp"
#include "elementary.hpp"
#include "lanes.hpp"
#include "measures/ranking/level_counts.hpp"

namespace directrank::soft_pairs {
namespace {

constexpr double ROOT_2_PI = 2.5066282746310002;

// Documents that are compared with one at a time.
constexpr Index CHUNK = 256;

struct Sums {
    double in_order = 0, density = 0;
};

// Adds the pairs of a run of documents and one that stands below all of them.
DIRECTRANK_CLONES
Sums add_pairs(const double* scores, const std::int32_t* level, Index n, double score, std::int32_t own_level, double sigma,
               double* __restrict gradient) {
    Sums sums;
    double ordered[CHUNK], densities[CHUNK];
    for (Index start = 0; start < n; start += CHUNK) {
        const Index size = std::min(CHUNK, n - start);
        for (Index i = 0; i < size; ++i) {
            const double difference = scores[start + i] != score ? scores[start + i] - score : 0, u = difference / sigma;
            const double e = exponential(-0.5 * u * u), tail = scaled_normal_tail(u) * e;
            const std::int32_t other = level[start + i];
            ordered[i] = other > own_level ? 1 - tail : (other < own_level ? tail : 0);
            densities[i] = (other > own_level ? e : (other < own_level ? -e : 0)) / ROOT_2_PI;
        }
        for (Index i = 0; i < size; ++i) gradient[start + i] += densities[i];
        sums.in_order += sum_in_lanes(size, [&](Index i) { return ordered[i]; });
        sums.density += sum_in_lanes(size, [&](Index i) { return densities[i]; });
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

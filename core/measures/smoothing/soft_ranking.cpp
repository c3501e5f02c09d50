#include "measures/smoothing/soft_ranking.hpp"

#include <algorithm>

#include "clones.hpp"
#include "elementary.hpp"
#include "lanes.hpp"

namespace directrank::soft_ranking {
namespace {

// Number of documents weighted at a time.
constexpr Index CHUNK = 256;

struct Sums {
    double total = 0, weighted = 0;
};

// Weights w_i = e^(-u_i^2/2) of a run of documents around the score of a rank, summed alone and times their gains.
DIRECTRANK_CLONES
Sums sum_weights(const double* scores, const double* gains, Index n, double centre, double sigma) {
    Sums sums;
    double weights[CHUNK];
    for (Index start = 0; start < n; start += CHUNK) {
        const Index size = std::min(CHUNK, n - start);
        for (Index i = 0; i < size; ++i) {
            const double u = scores[start + i] != centre ? (scores[start + i] - centre) / sigma : 0;
            weights[i] = exponential(-0.5 * u * u);
        }
        sums.total += sum_in_lanes(size, [&](Index i) { return weights[i]; });
        sums.weighted += sum_in_lanes(size, [&](Index i) { return weights[i] * gains[start + i]; });
    }
    return sums;
}

// Subtracts factor u_i w_i (g_i - p) from the gradient of each document of a run, and returns the sum of the
// subtracted terms.
DIRECTRANK_CLONES
double add_changes(const double* scores, const double* gains, Index n, double centre, double sigma, double expected,
                   double factor, double* __restrict gradient) {
    double sum = 0, changes[CHUNK];
    for (Index start = 0; start < n; start += CHUNK) {
        const Index size = std::min(CHUNK, n - start);
        for (Index i = 0; i < size; ++i) {
            const double u = scores[start + i] != centre ? (scores[start + i] - centre) / sigma : 0;
            changes[i] = factor * u * exponential(-0.5 * u * u) * (gains[start + i] - expected);
        }
        for (Index i = 0; i < size; ++i) gradient[start + i] -= changes[i];
        sum += sum_in_lanes(size, [&](Index i) { return changes[i]; });
    }
    return sum;
}

}  // namespace

void smooth(Span<const double> scores, Span<const double> gains, double sigma, double reach, Span<double> expected,
            Span<double> totals) {
    Window window;
    for (Index rank = 0; rank < expected.size(); ++rank) {
        window.move_to(rank, scores, reach);
        const auto [total, weighted] = sum_weights(scores.data() + window.first, gains.data() + window.first,
                                                   window.end - window.first, scores[rank], sigma);
        expected[rank] = weighted / total, totals[rank] = total;
    }
}

void differentiate(Span<const double> scores, Span<const double> gains, double sigma, double reach,
                   Span<const double> expected, Span<const double> totals, Span<const double> slopes,
                   Span<double> gradient) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    Window window;
    for (Index rank = 0; rank < expected.size(); ++rank) {
        window.move_to(rank, scores, reach);
        if (slopes[rank] == 0) continue;
        gradient[rank] += add_changes(scores.data() + window.first, gains.data() + window.first, window.end - window.first,
                                      scores[rank], sigma, expected[rank], slopes[rank] / (totals[rank] * sigma),
                                      gradient.data() + window.first);
    }
}

}  // namespace directrank::soft_ranking

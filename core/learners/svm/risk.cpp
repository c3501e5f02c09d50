#include "learners/svm/risk.hpp"

#include "clones.hpp"
#include "for_each_query.hpp"
#include "lanes.hpp"
#include "scratch.hpp"
#include "thread_pool.hpp"

namespace directrank::risk {
namespace {

// Number of rows per block of a sum, and number of rows per unit of work.
constexpr Index ROWS_OF_A_BLOCK = 4096, ROWS_OF_A_PART = 16 * ROWS_OF_A_BLOCK;

DIRECTRANK_CLONES
void interpolate(const double* __restrict at_start, const double* __restrict at_target, double t, Index n,
                 double* __restrict scores) {
    DIRECTRANK_UNROLL
    for (Index i = 0; i < n; ++i) scores[i] = at_start[i] + t * (at_target[i] - at_start[i]);
}

DIRECTRANK_CLONES
double dot(const double* a, const double* b, Index n) {
    return sum_in_lanes(n, [=](Index i) { return a[i] * b[i]; });
}

}  // namespace

Array<double> interpolate(Span<const double> at_start, Span<const double> at_target, double t) {
    Array<double> scores(at_start.size());
    for_each_block(scores.size(), ROWS_OF_A_PART, [&](Index start, Index end) {
        interpolate(at_start.data() + start, at_target.data() + start, t, end - start, scores.data() + start);
    });
    return scores;
}

Array<double> weight(Span<const double> coefficients, Span<const Index> offsets, Span<const double> weights) {
    Array<double> weighted(coefficients.size());
    for_each_query(offsets, [&](Index q, Index start, Index end) {
        for (Index i = start; i < end; ++i) weighted[i] = weights[q] * coefficients[i];
    });
    return weighted;
}

std::pair<double, double> products(Span<const double> coefficients, Span<const double> at_start,
                                   Span<const double> at_target) {
    const Index n = coefficients.size(), n_blocks = (n + ROWS_OF_A_BLOCK - 1) / ROWS_OF_A_BLOCK;
    const Scratch<double> start_sums(n_blocks), target_sums(n_blocks);
    for_each_block(n, ROWS_OF_A_PART, [&](Index start, Index end) {
        for (Index first = start; first < end; first += ROWS_OF_A_BLOCK) {
            const Index block = first / ROWS_OF_A_BLOCK, size = std::min(ROWS_OF_A_BLOCK, end - first);
            start_sums[block] = dot(coefficients.data() + first, at_start.data() + first, size);
            target_sums[block] = dot(coefficients.data() + first, at_target.data() + first, size);
        }
    });
    std::pair<double, double> totals{0, 0};
    for (Index block = 0; block < n_blocks; ++block) totals.first += start_sums[block], totals.second += target_sums[block];
    return totals;
}

}  // namespace directrank::risk

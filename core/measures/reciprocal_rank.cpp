#include "measures/reciprocal_rank.hpp"

#include <cmath>
#include <limits>

#include "clones.hpp"
#include "elementary.hpp"
#include "lanes.hpp"

namespace directrank::reciprocal_rank {
namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();

// Scores of a query further apart than this need an exponential for each pair: that of one score would underflow.
constexpr double MAX_SCORE_SPREAD = 600;

DIRECTRANK_CLONES
double highest_of(const double* scores, const bool* flags, Index n) {
    double lanes[LANES];
    for (double& lane : lanes) lane = -INFINITE;
    const Index whole = n - n % LANES;
    for (Index i = 0; i < whole; i += LANES)
        for (int lane = 0; lane < LANES; ++lane) {
            const double score = flags[i + lane] ? scores[i + lane] : -INFINITE;
            lanes[lane] = score > lanes[lane] ? score : lanes[lane];
        }
    double highest = -INFINITE;
    for (Index i = whole; i < n; ++i) highest = flags[i] && scores[i] > highest ? scores[i] : highest;
    for (const double lane : lanes) highest = lane > highest ? lane : highest;
    return highest;
}

DIRECTRANK_CLONES
void count_from(const double* scores, const bool* flags, Index n, double score, Index& n_above, Index& n_equal,
                Index& n_flagged) {
    Index above = 0, equal = 0, flagged = 0;
    for (Index i = 0; i < n; ++i) {
        above += scores[i] > score;
        equal += scores[i] == score;
        flagged += (scores[i] == score) & flags[i];
    }
    n_above = above, n_equal = equal, n_flagged = flagged;
}

DIRECTRANK_CLONES
void add_document(double* __restrict means, Index n, double m, double going_on) {
    for (Index i = n; i > 0; --i) {
        const auto place = static_cast<double>(i);
        means[i] = ((m - place) * means[i] + place * going_on * means[i - 1]) / m;
    }
}

// The ranks of a query: what `expected_lambdas` knows of each document, by rank.
struct Ranks {
    const Index n;
    Array<double> e, stop, worth;         // e is the exponential of the score or, where they are spread, the score itself
    Array<double> between, passing;       // M and Q for the rank a that is visited
    Array<double> gradient, hessian;      // sums
    Array<double> of_pairs, of_hessians;  // terms of the pairs with a
    bool is_spread = false;

    explicit Ranks(Index n)
        : n(n),
          e(n),
          stop(n),
          worth(n),
          between(n),
          passing(n),
          gradient(Array<double>::zeros(n)),
          hessian(Array<double>::zeros(n)),
          of_pairs(n),
          of_hessians(n) {}
};

// What the loops over the documents below a rank read and write.
struct Run {
    Index n;
    const double *__restrict e, *__restrict stop, *__restrict worth;
    double *__restrict between, *__restrict passing, *__restrict gradient, *__restrict hessian;
    double *__restrict of_pairs, *__restrict of_hessians;
};

// Adds the pairs of a document with those of a run below it, then has M and Q stand for the rank above.
template <class SigmoidOfMinus>
inline void add_run(const Run& run, double reach, double e, double stop, double worth, const SigmoidOfMinus& sigmoid_of_minus) {
    const double earned = stop * worth, going_on = 1 - stop;
    for (Index b = 0; b < run.n; ++b) {
        const bool is_better = stop > run.stop[b];
        const double change =
            reach * std::abs(run.stop[b] - stop) * (worth - run.between[b] - run.passing[b] * run.worth[b]);
        const double p = sigmoid_of_minus(is_better ? e : run.e[b], is_better ? run.e[b] : e);
        const double pair = change * p, pair_hessian = pair * (1 - p);
        run.of_pairs[b] = is_better ? pair : -pair;
        run.of_hessians[b] = pair_hessian;
        run.gradient[b] += is_better ? pair : -pair;
        run.hessian[b] += pair_hessian;
        run.between[b] = earned + going_on * run.between[b];
        run.passing[b] *= going_on;
    }
}

DIRECTRANK_CLONES
void add_near_run(const Run& run, double reach, double e, double stop, double worth, double* sums) {
    add_run(run, reach, e, stop, worth, [](double better, double worse) { return worse / (better + worse); });
    sums[0] = sum_in_lanes(run.n, [&](Index b) { return run.of_pairs[b]; });
    sums[1] = sum_in_lanes(run.n, [&](Index b) { return run.of_hessians[b]; });
}

DIRECTRANK_CLONES
void add_spread_run(const Run& run, double reach, double e, double stop, double worth, double* sums) {
    add_run(run, reach, e, stop, worth, [](double better, double worse) {
        const double y = better == worse ? 0.0 : better - worse, small = exponential(y > 0 ? -y : y);  // both may be infinite
        return (y > 0 ? small : 1.0) / (1 + small);
    });
    sums[0] = sum_in_lanes(run.n, [&](Index b) { return run.of_pairs[b]; });
    sums[1] = sum_in_lanes(run.n, [&](Index b) { return run.of_hessians[b]; });
}

// Adds the pairs of rank a with all below it.
void add_rank(Ranks& ranks, Index a, double reach) {
    const Index b = a + 1;
    const Run run{ranks.n - b,
                  ranks.e.data() + b,
                  ranks.stop.data() + b,
                  ranks.worth.data() + b,
                  ranks.between.data() + b,
                  ranks.passing.data() + b,
                  ranks.gradient.data() + b,
                  ranks.hessian.data() + b,
                  ranks.of_pairs.data() + b,
                  ranks.of_hessians.data() + b};
    double sums[2];
    (ranks.is_spread ? add_spread_run : add_near_run)(run, reach, ranks.e[a], ranks.stop[a], ranks.worth[a], sums);
    ranks.gradient[a] -= sums[0];
    ranks.hessian[a] += sums[1];
    ranks.between[a] = 0, ranks.passing[a] = 1;
}

DIRECTRANK_CLONES
void write_exponentials(double* e, Index n, double highest) {
    for (Index i = 0; i < n; ++i) e[i] = exponential(e[i] - highest);
}

}  // namespace

First find_first(Span<const double> scores, Span<const bool> relevant) {
    First first{};
    const double highest = highest_of(scores.data(), relevant.data(), scores.size());
    if (highest > -INFINITE)
        count_from(scores.data(), relevant.data(), scores.size(), highest, first.above, first.tied, first.relevant);
    return first;
}

// They are the mean products of 1 - stop over all subsets of i documents: elementary symmetric means, built up document by document.
// Documents with stop = 0 leave every mean at 1. By Maclaurin's inequality the i-th mean is at most the first one to the power of i:
// places where that is below 1e-18 are left out, which leaves few of a huge tie group.
Index mean_going_on(Span<const double> stop, Span<double> means) {
    double gone = 0;
    for (const double one : stop) gone += one;
    gone /= static_cast<double>(stop.size());
    Index places = means.size() - 1, m = 0;
    if (42 / gone < static_cast<double>(places)) places = std::min(places, static_cast<Index>(42 / gone) + 1);
    std::fill_n(means.begin(), places + 1, 1.0);
    for (const double one : stop) m += one == 0;
    for (const double one : stop)
        if (one > 0) {
            ++m;
            add_document(means.data(), std::min(places, m), static_cast<double>(m), 1 - one);
        }
    return places + 1;
}

// From the lowest rank up: if M and Q are of rank a, those of the rank above are R_a h(a) + (1 - R_a) M and (1 - R_a) Q.
void expected_lambdas(Span<const double> scores, Span<const double> grades, Span<const double> stop, Index k,
                      Span<double> gradient, Span<double> hessian) {
    const Index n = scores.size(), last = std::min(n, k);
    const Array<Index> order = sorting::worst_order(scores, grades);
    Ranks ranks(n);
    for (Index rank = 0; rank < n; ++rank) {
        ranks.e[rank] = scores[order[rank]];
        ranks.stop[rank] = stop[order[rank]];
        ranks.worth[rank] = rank < k ? 1 / static_cast<double>(rank + 1) : 0;
    }
    if (n > 0) ranks.is_spread = !(ranks.e[0] - ranks.e[n - 1] <= MAX_SCORE_SPREAD);
    if (!ranks.is_spread && n > 0) write_exponentials(ranks.e.data(), n, ranks.e[0]);
    Array<double> reach(last + 1);
    reach[0] = 1;
    for (Index a = 0; a < last; ++a) reach[a + 1] = reach[a] * (1 - ranks.stop[a]);
    double passing = 1;  // ranks from `last` on are worth nothing
    for (Index b = last; b < n; ++b) {
        ranks.between[b] = 0, ranks.passing[b] = passing;
        passing *= 1 - ranks.stop[b];
    }
    for (Index a = last - 1; a >= 0; --a) add_rank(ranks, a, reach[a]);
    for (Index rank = 0; rank < n; ++rank) {
        gradient[order[rank]] = ranks.gradient[rank];
        hessian[order[rank]] = ranks.hessian[rank];
    }
    ties::share_among_equals(scores, grades, order, gradient);
    ties::share_among_equals(scores, grades, order, hessian);
}

}  // namespace directrank::reciprocal_rank

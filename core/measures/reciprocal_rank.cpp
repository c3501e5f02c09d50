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

// The highest score of the flagged documents, -inf if there are none.
double highest_of(Span<const double> scores, Span<const bool> flags) {
    constexpr Index N = 4;  // maxima that do not wait for one another
    constexpr double lowered[] = {-INFINITE, 0};
    double highest[N] = {-INFINITE, -INFINITE, -INFINITE, -INFINITE};
    const auto raise = [&](double& to, Index i) {
        const double score = scores[i] + lowered[flags[i]];
        to = score > to ? score : to;
    };
    Index i = 0;
    for (; i + N <= scores.size(); i += N)
        for (Index lane = 0; lane < N; ++lane) raise(highest[lane], i + lane);
    for (; i < scores.size(); ++i) raise(highest[0], i);
    return *std::max_element(highest, highest + N);
}

DIRECTRANK_CLONES
void count_from(const double* scores, Index n, double score, Index& n_above, Index& n_equal) {
    Index above = 0, equal = 0;
    for (Index i = 0; i < n; ++i) {
        above += scores[i] > score ? 1 : 0;
        equal += scores[i] == score ? 1 : 0;
    }
    n_above = above, n_equal = equal;
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
    Scratch<double> e, stop, worth;         // e is the exponential of the score or, where they are spread, the score itself
    Scratch<double> between, passing;       // M and Q for the rank a that is visited
    Scratch<double> gradient, hessian;      // sums
    Scratch<double> of_pairs, of_hessians;  // terms of the pairs with a

    explicit Ranks(Index n)
        : n(n), e(n), stop(n), worth(n), between(n), passing(n), gradient(n), hessian(n), of_pairs(n), of_hessians(n) {
        std::fill_n(gradient.data(), n, 0.0), std::fill_n(hessian.data(), n, 0.0);
    }
};

// What the pairs of a document with those below it add to its own sums.
struct Sums {
    double gradient, hessian;
};

// Adds the pairs of rank a with those below it, then has M and Q stand for the rank above.
template <class SigmoidOfMinus>
inline Sums add_pairs(const Ranks& ranks, Index a, double reach, const SigmoidOfMinus& sigmoid_of_minus) {
    const Index first = a + 1, n = ranks.n - first;
    const double mine = ranks.e[a], my_stop = ranks.stop[a], my_worth = ranks.worth[a];
    const double earned = my_stop * my_worth, going_on = 1 - my_stop;
    const double *e = ranks.e.data() + first, *stop = ranks.stop.data() + first, *worth = ranks.worth.data() + first;
    double *between = ranks.between.data() + first, *passing = ranks.passing.data() + first;
    double *gradient = ranks.gradient.data() + first, *hessian = ranks.hessian.data() + first;
    double *of_pairs = ranks.of_pairs.data(), *of_hessians = ranks.of_hessians.data();
    DIRECTRANK_INDEPENDENT
    for (Index b = 0; b < n; ++b) {
        const bool is_better = my_stop > stop[b];
        const double change = reach * std::abs(stop[b] - my_stop) * (my_worth - between[b] - passing[b] * worth[b]);
        const double theirs = e[b];
        const double p = sigmoid_of_minus(is_better ? mine : theirs, is_better ? theirs : mine);
        const double pair = is_better ? change * p : -(change * p), pair_hessian = change * p * (1 - p);
        of_pairs[b] = pair;
        of_hessians[b] = pair_hessian;
        gradient[b] += pair;
        hessian[b] += pair_hessian;
        between[b] = earned + going_on * between[b];
        passing[b] *= going_on;
    }
    return {sum_in_lanes(n, [&](Index b) { return of_pairs[b]; }), sum_in_lanes(n, [&](Index b) { return of_hessians[b]; })};
}

DIRECTRANK_CLONES
Sums add_near_pairs(const Ranks& ranks, Index a, double reach) {
    return add_pairs(ranks, a, reach, [](double better, double worse) { return worse / (better + worse); });
}

DIRECTRANK_CLONES
Sums add_spread_pairs(const Ranks& ranks, Index a, double reach) {
    return add_pairs(ranks, a, reach, [](double better, double worse) {
        const double y = better == worse ? 0.0 : better - worse, small = exponential(-std::abs(y));  // both may be infinite
        return (y > 0 ? small : 1.0) / (1 + small);
    });
}

DIRECTRANK_CLONES
void write_exponentials(double* e, Index n, double highest) {
    for (Index i = 0; i < n; ++i) e[i] = exponential(e[i] - highest);
}

}  // namespace

First find_first(Span<const double> scores, Span<const bool> relevant) {
    const Index n = scores.size();
    if (sorting::is_ranked(scores)) {
        const Index at = std::find(relevant.begin(), relevant.end(), true) - relevant.begin();
        if (at == n || !(scores[at] > -INFINITE)) return {};
        Index start = at;
        while (start > 0 && scores[start - 1] == scores[at]) --start;
        const Index end = ties::group_end(scores, at);
        return {start, end - start, ties::count(relevant, start, end)};
    }
    const double highest = highest_of(scores, relevant);
    if (!(highest > -INFINITE)) return {};
    First first{};
    count_from(scores.data(), n, highest, first.above, first.tied);
    if (first.tied == 1) return {first.above, 1, 1};
    for (Index i = 0; i < n; ++i) first.relevant += scores[i] == highest && relevant[i];
    return first;
}

// The probability to read on past i places, over all orders of the group, is the mean product of 1 - stop over all subsets of i
// documents: elementary symmetric means, built up document by document. Documents with stop = 0 leave every mean at 1. By Maclaurin's
// inequality the i-th mean is at most the first one to the power of i: places where that is below 1e-18 are left out, which leaves
// few of a huge tie group.
void read_group(Span<const double> stop, Index places, Reader& reader) {
    double gone = 0;
    for (const double one : stop) gone += one;
    gone /= static_cast<double>(stop.size());
    if (42 / gone < static_cast<double>(places)) places = std::min(places, static_cast<Index>(42 / gone) + 1);
    const Scratch<double> means(places + 1);
    std::fill_n(means.data(), means.size(), 1.0);
    Index m = std::count(stop.begin(), stop.end(), 0.0);
    for (const double one : stop)
        if (one > 0) {
            ++m;
            add_document(means.data(), std::min(places, m), static_cast<double>(m), 1 - one);
        }
    for (Index i = 0; i < places; ++i)
        reader.earned += reader.reach * (means[i] - means[i + 1]) / static_cast<double>(reader.place + i + 1);
    for (const double one : stop) reader.reach *= 1 - one;
    reader.place += stop.size();
}

// From the lowest rank up: if M and Q are of rank a, those of the rank above are R_a h(a) + (1 - R_a) M and (1 - R_a) Q.
void expected_lambdas(Span<const double> scores, Span<const double> grades, Span<const double> stop, Index k,
                      Span<double> gradient, Span<double> hessian) {
    const Index n = scores.size(), last = std::clamp<Index>(k, 0, n);
    const Array<Index> order = sorting::worst_order(scores, grades);
    const Ranks ranks(n);
    for (Index rank = 0; rank < n; ++rank) {
        ranks.e[rank] = scores[order[rank]];
        ranks.stop[rank] = stop[order[rank]];
        ranks.worth[rank] = rank < k ? 1 / static_cast<double>(rank + 1) : 0;
    }
    const bool is_spread = n > 0 && !(ranks.e[0] - ranks.e[n - 1] <= MAX_SCORE_SPREAD);  // or all are infinite
    if (n > 0 && !is_spread) write_exponentials(ranks.e.data(), n, ranks.e[0]);
    const Scratch<double> reach(last + 1);
    reach[0] = 1;
    for (Index a = 0; a < last; ++a) reach[a + 1] = reach[a] * (1 - ranks.stop[a]);
    double passing = 1;  // ranks from `last` on are worth nothing
    for (Index b = last; b < n; ++b) {
        ranks.between[b] = 0, ranks.passing[b] = passing;
        passing *= 1 - ranks.stop[b];
    }
    for (Index a = last - 1; a >= 0; --a) {
        const Sums sums = (is_spread ? add_spread_pairs : add_near_pairs)(ranks, a, reach[a]);
        ranks.gradient[a] -= sums.gradient;
        ranks.hessian[a] += sums.hessian;
        ranks.between[a] = 0, ranks.passing[a] = 1;
    }
    for (Index rank = 0; rank < n; ++rank) {
        gradient[order[rank]] = ranks.gradient[rank];
        hessian[order[rank]] = ranks.hessian[rank];
    }
    ties::share_among_equals(scores, grades, order, gradient);
    ties::share_among_equals(scores, grades, order, hessian);
}

}  // namespace directrank::reciprocal_rank

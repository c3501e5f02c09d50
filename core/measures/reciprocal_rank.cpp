#include "measures/reciprocal_rank.hpp"

#include <cmath>
#include <limits>

#include "clones.hpp"
#include "lanes.hpp"
#include "measures/pairs/pair_loop.hpp"
#include "scratch.hpp"

namespace directrank::reciprocal_rank {
namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();

// Ranks that are reached with a lower probability count nothing.
constexpr double MIN_REACH = 1e-18;

// Highest score of the flagged documents, -inf if none is flagged.
double highest_flagged(Span<const double> scores, Span<const bool> flags) {
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

// Counts the scores above a score, and those equal to it.
DIRECTRANK_CLONES
void count_from(const double* scores, Index n, double score, Index& n_above, Index& n_equal) {
    Index above = 0, equal = 0;
    for (Index i = 0; i < n; ++i) {
        above += scores[i] > score ? 1 : 0;
        equal += scores[i] == score ? 1 : 0;
    }
    n_above = above, n_equal = equal;
}

// Updates the elementary symmetric means when a document is added, the m-th of its tie group; see `read_group`.
DIRECTRANK_CLONES
void add_document(double* __restrict means, Index n, double m, double going_on) {
    for (Index i = n; i > 0; --i) {
        const auto place = static_cast<double>(i);
        means[i] = ((m - place) * means[i] + place * going_on * means[i - 1]) / m;
    }
}

// One query by rank, and the sums of its lambdas.
struct Ranks {
    const Index n;
    Scratch<double> score, e, stop, worth;          // s, its exponential (see pair_loop::exponentials), R, h
    Scratch<double> between, passing;               // M and Q of the rank a that is visited and each rank b below it
    Scratch<double> gradient, hessian;              // sums of each rank
    Scratch<double> pair_gradients, pair_hessians;  // of the pairs of a
    pair_loop::OddsKind odds;

    Ranks(Span<const double> scores, Span<const double> stops, Span<const Index> order, Index k,
          bool by_distance)
        : n(scores.size()),
          score(n),
          e(n),
          stop(n),
          worth(n),
          between(n),
          passing(n),
          gradient(n),
          hessian(n),
          pair_gradients(n),
          pair_hessians(n) {
        for (Index rank = 0; rank < n; ++rank) {
            score[rank] = scores[order[rank]];
            stop[rank] = stops[order[rank]];
            worth[rank] = rank < k ? 1 / static_cast<double>(rank + 1) : 0;
            gradient[rank] = 0, hessian[rank] = 0;
        }
        odds = pair_loop::exponentials(n, score.data(), by_distance, e.data());
    }
};

// Sums over the pairs of one rank with those below it.
struct Sums {
    double gradient, hessian;
};

// Adds the pairs of rank a with those below it to the sums of the latter, then moves M and Q to the rank above a.
template <class OddsOf>
inline Sums add_pairs(const Ranks& ranks, Index a, double reach) {
    const Index first = a + 1, n = ranks.n - first;
    const double e_a = ranks.e[a], stop_a = ranks.stop[a], worth_a = ranks.worth[a];
    const double earned = stop_a * worth_a, going_on = 1 - stop_a;
    const double *e = ranks.e.data() + first, *stop = ranks.stop.data() + first, *worth = ranks.worth.data() + first;
    double *between = ranks.between.data() + first, *passing = ranks.passing.data() + first;
    double *gradient = ranks.gradient.data() + first, *hessian = ranks.hessian.data() + first;
    double *pair_gradients = ranks.pair_gradients.data(), *pair_hessians = ranks.pair_hessians.data();
    DIRECTRANK_INDEPENDENT
    for (Index b = 0; b < n; ++b) {
        const bool is_better = stop_a > stop[b];
        const double change = reach * std::abs(stop[b] - stop_a) * (worth_a - between[b] - passing[b] * worth[b]);
        const pair_loop::Odds odds = OddsOf::of(e_a, e[b]);
        const double change_of_pair = odds.weight * change;
        const double pair_gradient = change_of_pair * (is_better ? odds.j_wins : -odds.i_wins);
        const double pair_hessian = change_of_pair * (odds.i_wins * odds.j_wins);
        pair_gradients[b] = pair_gradient;
        pair_hessians[b] = pair_hessian;
        gradient[b] += pair_gradient;
        hessian[b] += pair_hessian;
        between[b] = earned + going_on * between[b];
        passing[b] *= going_on;
    }
    return {sum_in_lanes(n, [&](Index b) { return pair_gradients[b]; }),
            sum_in_lanes(n, [&](Index b) { return pair_hessians[b]; })};
}

DIRECTRANK_CLONES
Sums add_near_pairs(const Ranks& ranks, Index a, double reach) {
    return add_pairs<pair_loop::RatioOdds>(ranks, a, reach);
}

DIRECTRANK_CLONES
Sums add_spread_pairs(const Ranks& ranks, Index a, double reach) {
    return add_pairs<pair_loop::SpreadOdds>(ranks, a, reach);
}

DIRECTRANK_CLONES
Sums add_pairs_by_distance(const Ranks& ranks, Index a, double reach) {
    return add_pairs<pair_loop::DistanceOdds>(ranks, a, reach);
}

Sums add_pairs_of(const Ranks& ranks, Index a, double reach) {
    if (ranks.odds == pair_loop::OddsKind::DISTANCE) return add_pairs_by_distance(ranks, a, reach);
    if (ranks.odds == pair_loop::OddsKind::SPREAD) return add_spread_pairs(ranks, a, reach);
    return add_near_pairs(ranks, a, reach);
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
    const double highest = highest_flagged(scores, relevant);
    if (!(highest > -INFINITE)) return {};
    First first{};
    count_from(scores.data(), n, highest, first.above, first.tied);
    if (first.tied == 1) return {first.above, 1, 1};
    for (Index i = 0; i < n; ++i) first.relevant += scores[i] == highest && relevant[i];
    return first;
}

// The probability of reading past i places, over all orders of the group, is the mean product of 1 - stop over all subsets
// of i documents: elementary symmetric means, built up document by document. Documents with stop = 0 leave every mean at 1.
// By Maclaurin's inequality the i-th mean is at most the first one to the power of i: places where that is below 1e-18 are
// left out, which leaves few of a huge tie group.
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

// From the lowest rank up: where M and Q belong to rank a, those of the rank above it are R_a h(a) + (1 - R_a) M and (1 -
// R_a) Q.
void expected_lambdas(Span<const double> scores, Span<const double> grades, Span<const double> stop, Index k,
                      bool by_distance, Span<double> gradient, Span<double> hessian) {
    const Index n = scores.size();
    const Array<Index> order = sorting::worst_order(scores, grades);
    const Ranks ranks(scores, stop, order, k, by_distance);
    const Scratch<double> reach(n + 1);
    Index last = 0;
    for (reach[0] = 1; last < std::min(k, n) && reach[last] > MIN_REACH; ++last)
        reach[last + 1] = reach[last] * (1 - ranks.stop[last]);
    double passing = 1;  // ranks from `last` on are worth nothing, or never reached
    for (Index b = last; b < n; ++b) {
        ranks.between[b] = 0, ranks.passing[b] = passing;
        passing *= 1 - ranks.stop[b];
    }
    for (Index a = last - 1; a >= 0; --a) {
        const Sums sums = add_pairs_of(ranks, a, reach[a]);
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

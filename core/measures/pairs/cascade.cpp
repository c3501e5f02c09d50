#include "measures/pairs/cascade.hpp"

#include <cmath>

#include "clones.hpp"
#include "measures/pairs/pair_loop.hpp"
#include "measures/ranking/sorting.hpp"
#include "measures/ranking/ties.hpp"
#include "padded_rows.hpp"

namespace directrank::cascade {
namespace {

// A query by rank.
struct Ranking {
    Index n, depth;
    const double *stop, *e;
    bool is_spread;
    double *gradient, *hessian;  // of each document in WIDTH lanes

    // h, of ranks from 0.
    double value_at(Index rank) const { return rank < depth ? 1 / static_cast<double>(rank + 1) : 0.0; }
};

// Upper documents of pairs, as many as a vector holds, and what they are to one further down.
struct Uppers {
    double P[WIDTH], M[WIDTH], Q[WIDTH], value[WIDTH], stop[WIDTH], e[WIDTH];
    double gradient[WIDTH], hessian[WIDTH];  // sums over the documents that they have passed

    // Adds the pair of one of them and the document at rank b, and has it pass that document.
    template <class OddsOf>
    void add(const Ranking& r, Index b, double value_at_b, Index lane) {
        const double stop_b = r.stop[b];
        const double delta = P[lane] * (stop[lane] - stop_b) * (value[lane] - M[lane] - Q[lane] * value_at_b);
        const pair_loop::Odds odds = OddsOf::of(e[lane], r.e[b]);
        const double pair_gradient = delta * (delta < 0 ? odds.i_wins : odds.j_wins);
        const double pair_hessian = std::fabs(delta) * (odds.i_wins * odds.j_wins);
        gradient[lane] += pair_gradient, hessian[lane] += pair_hessian;
        r.gradient[b * WIDTH + lane] += pair_gradient, r.hessian[b * WIDTH + lane] += pair_hessian;
        M[lane] += Q[lane] * stop_b * value_at_b;
        Q[lane] *= 1 - stop_b;
    }
};

// Adds the pairs of upper documents and all from rank `start`.
template <class OddsOf>
inline void add_lower(const Ranking& r, Index start, Uppers& uppers) {
    Uppers u = uppers;  // in registers
    for (Index b = start; b < r.n; ++b) {
        const double value_at_b = r.value_at(b);
        DIRECTRANK_LANES
        for (Index lane = 0; lane < WIDTH; ++lane) u.add<OddsOf>(r, b, value_at_b, lane);
    }
    uppers = u;
}

template <class OddsOf>
inline void add_pairs(const Ranking& r) {
    const Index last = std::min(r.depth, r.n);
    double reach = 1;
    for (Index start = 0; start < last && reach > 0; start += WIDTH) {
        Uppers uppers;
        for (Index lane = 0; lane < WIDTH; ++lane) {
            const Index a = std::min(start + lane, r.n - 1);
            uppers.P[lane] = start + lane < last ? reach : 0.0;
            uppers.M[lane] = 0, uppers.Q[lane] = 1, uppers.gradient[lane] = 0, uppers.hessian[lane] = 0;
            uppers.value[lane] = r.value_at(a), uppers.stop[lane] = r.stop[a], uppers.e[lane] = r.e[a];
            reach *= 1 - r.stop[a];
        }
        const Index below = std::min(start + WIDTH, r.n);
        for (Index b = start + 1; b < below; ++b)
            for (Index lane = 0; lane < b - start; ++lane) uppers.add<OddsOf>(r, b, r.value_at(b), lane);
        add_lower<OddsOf>(r, below, uppers);
        for (Index a = start; a < below; ++a)
            r.gradient[a * WIDTH] -= uppers.gradient[a - start], r.hessian[a * WIDTH] += uppers.hessian[a - start];
    }
}

DIRECTRANK_CLONES
void add_all(const Ranking& ranking) {
    if (ranking.is_spread)
        add_pairs<pair_loop::SpreadOdds>(ranking);
    else
        add_pairs<pair_loop::RatioOdds>(ranking);
}

}  // namespace

void sum(Span<const double> scores, Span<const double> grades, Span<const double> stops, Index depth, Span<double> gradient,
         Span<double> hessian) {
    const Index n = scores.size();
    const Array<Index> order = sorting::worst_order(scores, grades);
    PaddedRows rows(3, n), lanes(2, n * WIDTH);
    double *score = rows[0], *e = rows[1], *stop = rows[2];
    for (Index rank = 0; rank < n; ++rank) score[rank] = scores[order[rank]], stop[rank] = stops[order[rank]];
    lanes.clear(0), lanes.clear(1);
    const bool is_spread = pair_loop::exponentials(n, score, e);
    add_all({n, depth, stop, e, is_spread, lanes[0], lanes[1]});
    for (Index rank = 0; rank < n; ++rank) {
        gradient[order[rank]] = pair_loop::total(lanes[0] + rank * WIDTH);
        hessian[order[rank]] = pair_loop::total(lanes[1] + rank * WIDTH);
    }
    ties::share_among_equals(scores, grades, order, gradient);
    ties::share_among_equals(scores, grades, order, hessian);
}

}  // namespace directrank::cascade

// The loop over pairs shared by all lambdas: one document and many others, a vector at a time.
#pragma once

#include <cmath>

#include "elementary.hpp"
#include "padded_rows.hpp"
#include "span.hpp"
#include "thread_pool.hpp"

namespace directrank::pair_loop {

// With a larger spread of scores each pair needs an exponential: the exponential of one score might underflow.
constexpr double MAX_SCORE_SPREAD = 600;

// Pairs count the less the further apart their scores are, by 1/(MIN_DISTANCE + |s_i - s_j|), as in LightGBM.
constexpr double MIN_DISTANCE = 0.01;

// What `exponentials` wrote: the exponentials of the scores, for RatioOdds; or the scores, for SpreadOdds or DistanceOdds.
enum class OddsKind { RATIO, SPREAD, DISTANCE };

// Probabilities that i beats j, 1/(1 + e^(s_j - s_i)), and that j beats i; and the weight of the pair.
struct Odds {
    double i_wins, j_wins;
    double weight = 1;
};

// From the exponentials of the scores.
struct RatioOdds {
    static Odds of(double e_i, double e_j) {
        const double inverse = 1 / (e_i + e_j);
        return {e_i * inverse, e_j * inverse};
    }
};

// From the scores themselves; infinite ones may be equal.
struct SpreadOdds {
    static Odds of(double s_i, double s_j) {
        const double distance = s_i == s_j ? 0.0 : s_i - s_j;
        const double x = exponential(-std::fabs(distance)), larger = 1 / (1 + x), smaller = x * larger;
        return {distance > 0 ? larger : smaller, distance > 0 ? smaller : larger};
    }
};

// From the scores themselves, with weights by their distance.
struct DistanceOdds {
    static Odds of(double s_i, double s_j) {
        Odds odds = SpreadOdds::of(s_i, s_j);
        odds.weight = 1 / (MIN_DISTANCE + (s_i == s_j ? 0.0 : std::fabs(s_i - s_j)));
        return odds;
    }
};

// Sums of one document, still in lanes.
struct LaneSums {
    double gradient[MAX_WIDTH], hessian[MAX_WIDTH];
};

inline double total(const double* lanes) {
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

// Adds the pairs of a document i and those from `begin`, where a vector starts, to before `end`: to these, and to the sums
// of i.
//
// `change(j)` is |Delta| if i is the better one, and -|Delta| if j is, which it may only be if SIGNED. `last_change(j)` is
// the same in the last vector, and 0 from `end` on. They must not load conditionally: the sums would then be kept in memory.
template <bool SIGNED, class OddsOf, class Change, class LastChange>
inline void add_pairs(Index i, Index begin, Index end, const double* e, const Change& change, const LastChange& last_change,
                      double* gradient, double* hessian, LaneSums& sums) {
    const double e_i = e[i];
    LaneSums lanes = sums;  // in registers
    const auto add = [&](Index j, Index lane, double delta) {
        const Odds odds = OddsOf::of(e_i, e[j]);
        const double change_of_pair = odds.weight * delta;
        const double pair_gradient = change_of_pair * (SIGNED && delta < 0 ? odds.i_wins : odds.j_wins);
        const double pair_hessian =
            SIGNED ? std::fabs(change_of_pair) * (odds.i_wins * odds.j_wins) : pair_gradient * odds.i_wins;
        lanes.gradient[lane] += pair_gradient;
        lanes.hessian[lane] += pair_hessian;
        gradient[j] += pair_gradient;
        hessian[j] += pair_hessian;
    };
    Index start = begin;
    for (; start + MAX_WIDTH <= end; start += MAX_WIDTH) {
        DIRECTRANK_LANES
        for (Index lane = 0; lane < MAX_WIDTH; ++lane) add(start + lane, lane, change(start + lane));
    }
    if (start < end) {
        DIRECTRANK_LANES
        for (Index lane = 0; lane < MAX_WIDTH; ++lane) add(start + lane, lane, last_change(start + lane));
    }
    sums = lanes;
}

// Number of documents that visit a block of others before the next block. The block, up to 7 rows of doubles, fits in an L1
// cache of 32 KB.
constexpr Index VISITORS = 32, BLOCK = 512;

// For each document i = document(k), k from `first` to before `last`, calls `visit(i, begin, end, sums)` with each block of
// the first n documents; then adds the sums to the gradient and the hessian of i.
template <class Document, class Visit>
inline void add_sums(Index first, Index last, Index n, const Document& document, double* gradient, double* hessian,
                     const Visit& visit) {
    LaneSums sums[VISITORS];
    for (Index start = first; start < last; start += VISITORS) {
        const Index end = std::min(start + VISITORS, last);
        std::fill(sums, sums + (end - start), LaneSums{});
        for (Index block = 0; block < n; block += BLOCK)
            for (Index k = start; k < end; ++k) visit(document(k), block, std::min(block + BLOCK, n), sums[k - start]);
        for (Index k = start; k < end; ++k) {
            gradient[document(k)] -= total(sums[k - start].gradient);
            hessian[document(k)] += total(sums[k - start].hessian);
        }
    }
}

// Calls `add(part, gradient, hessian)` for each part, with sums of its own to add to; then adds these up in the order of the
// parts.
template <class Add>
void add_in_parts(Index n_parts, Index n, double* gradient, double* hessian, const Add& add) {
    if (n_parts == 1) return add(0, gradient, hessian);
    PaddedRows sums(2 * n_parts, n);
    parallel(n_parts, [&](Index part) {
        sums.clear(2 * part), sums.clear(2 * part + 1);
        add(part, sums[2 * part], sums[2 * part + 1]);
    });
    for (Index part = 0; part < n_parts; ++part)
        for (Index i = 0; i < n; ++i) gradient[i] += sums[2 * part][i], hessian[i] += sums[2 * part + 1][i];
}

// Writes e^(score - highest score); or copies the scores, where they are too far apart for that, or where pairs are to count
// by their distance and not all scores are equal.
OddsKind exponentials(Index n, const double* scores, bool by_distance, double* e);

}  // namespace directrank::pair_loop

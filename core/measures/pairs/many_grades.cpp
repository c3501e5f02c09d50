#include "measures/pairs/many_grades.hpp"

#include <cmath>

#include "clones.hpp"
#include "measures/pairs/pair_loop.hpp"
#include "measures/ranking/level_counts.hpp"
#include "measures/ranking/sorting.hpp"
#include "measures/ranking/ties.hpp"
#include "padded_rows.hpp"

namespace directrank::many_grades {
namespace {

using pair_loop::LaneSums;

// A query by ascending score, so that the documents below a given one come first.
struct Ascending {
    Index n;
    Array<Index> order;
    Array<std::int32_t> level;
    Array<Index> start, end;  // bounds of each document's tie group
    PaddedRows rows;
    const double *place, *level_row, *e;
    pair_loop::OddsKind odds;
    bool has_ties = false;

    Ascending(Span<const double> scores, Span<const std::int32_t> levels, bool by_distance)
        : n(scores.size()),
          order(n),
          level(n),
          start(n),
          end(n),
          rows(4, n),
          place(rows[0]),
          level_row(rows[1]),
          e(rows[2]) {
        const sorting::Ranking ranking(scores);
        double* score = rows[3];
        for (Index k = 0; k < n; ++k) {
            order[k] = ranking.order[n - 1 - k], level[k] = levels[order[k]], score[k] = ranking.scores[n - 1 - k];
            rows[0][k] = static_cast<double>(k), rows[1][k] = level[k];
        }
        std::fill(rows[0] + n, rows[0] + rows.stride(), static_cast<double>(n));  // above all places
        for (Index first = 0, last = 0; first < n; first = last) {
            last = ties::group_end({score, n}, first);
            has_ties |= last > first + 1;
            std::fill(start.begin() + first, start.begin() + last, first);
            std::fill(end.begin() + first, end.begin() + last, last);
        }
        odds = pair_loop::exponentials(n, score, by_distance, rows[2]);
    }
};

// W_c of a document of some level: 2 below level c, 1 at it.
inline double weight_of(double level, double c) { return (level < c ? 1.0 : 0.0) + (level <= c ? 1.0 : 0.0); }

// State on the way up, with N_c(k) the sum of W_c over the places below k, and half of it over the tie group of k.
struct State {
    PaddedRows rows;
    double* passed;        // 2 (N_b(start of the tie group) - N_b(j)) for each document j below, of grade b
    double* group_growth;  // increase of N_b over the tie group
    double* to;            // 2 N_a(j), a being the grade of the upper document
    Array<Index> before;

    explicit State(Index n) : rows(3, n), passed(rows[0]), group_growth(rows[1]), to(rows[2]), before(n + 1) {
        for (Index row = 0; row < 3; ++row) rows.clear(row);
    }
};

// Writes 2 N_a of each place below `end`, where a tie group starts; returns 2 N_a of `end` without its tie group.
template <bool HAS_TIES>
inline double count_up(const Ascending& query, Index end, std::int32_t a, State& state) {
    const std::int32_t* level = query.level.data();
    Index count = 0;
    for (Index j = 0; j < end; ++j) {
        const Index own = (level[j] < a) + (level[j] <= a);
        if constexpr (HAS_TIES)
            state.before[j] = count;
        else
            state.to[j] = static_cast<double>(2 * count + own);
        count += own;
    }
    if constexpr (HAS_TIES) {
        state.before[end] = count;
        for (Index j = 0; j < end; ++j)
            state.to[j] = static_cast<double>(state.before[query.start[j]] + state.before[query.end[j]]);
    }
    return static_cast<double>(2 * count);
}

// Adds the pairs of each document from place `first` to before `last`, where tie groups start, and all below it.
//
// For document i of grade a above j of grade b, twice the change is |X| with X = 2 (N_a(i) - N_a(j)) - 2 (N_b(i) - N_b(j)).
// X is above 0 if a > b, below 0 if a < b, and 0 if a = b.
template <bool HAS_TIES, class OddsOf>
inline void add_below(const Ascending& query, double weight, Index first, Index last, State& state, double* gradient,
                      double* hessian) {
    const double *level = query.level_row, *place = query.place, half_weight = 0.5 * weight;
    double *passed = state.passed, *group_growth = state.group_growth, *to = state.to;
    double to_group = 0;
    const auto document = [](Index i) { return i; };
    // In a single block, as `to` holds the counts of one document i.
    pair_loop::add_sums(first, last, 1, document, gradient, hessian, [&](Index i, Index, Index, LaneSums& sums) {
        const double mine = level[i], my_place = place[i];
        const Index start = HAS_TIES ? query.start[i] : i, end = HAS_TIES ? query.end[i] : i + 1;
        if (HAS_TIES && i == start) {
            std::fill(group_growth, group_growth + end, 0.0);
            for (Index tied = start; tied < end; ++tied)
                for (Index j = 0; j < end; ++j) group_growth[j] += weight_of(level[tied], level[j]);
        }
        if (i == start || level[i - 1] != mine) to_group = count_up<HAS_TIES>(query, start, query.level[i], state);
        const double my_growth = HAS_TIES ? group_growth[i] : 1.0, to_mine = to_group + my_growth,
                     group_place = place[start];
        const auto change = [&](Index j) {
            double X;
            if constexpr (HAS_TIES) {
                const double sign = level[j] < mine ? 1.0 : level[j] > mine ? -1.0 : 0.0;
                const double tied_X = sign * ((std::fabs(my_growth - group_growth[j]) + 1) * (2.0 / 3));
                const double lower_X = to_mine - to[j] - (passed[j] + group_growth[j]);
                X = place[j] < group_place ? lower_X : tied_X;
            } else {
                const double my_weight = weight_of(mine, level[j]);
                X = to_mine - to[j] - (passed[j] + my_weight);
                passed[j] += 2 * my_weight;
            }
            return half_weight * X;
        };
        const auto last_change = [&](Index j) {
            const double pair_change = change(j);
            return place[j] < my_place ? pair_change : 0.0;
        };
        pair_loop::add_pairs<true, OddsOf>(i, 0, i, query.e, change, last_change, gradient, hessian, sums);
        if (!HAS_TIES) {
            passed[i] = 1;
        } else if (i + 1 == end) {
            for (Index j = 0; j < start; ++j) passed[j] += 2 * group_growth[j];
            std::copy(group_growth + start, group_growth + end, passed + start);
        }
    });
}

DIRECTRANK_CLONES
void add_run(const Ascending& query, double weight, Index first, Index last, State& state, double* gradient,
             double* hessian) {
    if (query.odds == pair_loop::OddsKind::DISTANCE)
        add_below<true, pair_loop::DistanceOdds>(query, weight, first, last, state, gradient, hessian);
    else if (query.odds == pair_loop::OddsKind::SPREAD)
        add_below<true, pair_loop::SpreadOdds>(query, weight, first, last, state, gradient, hessian);
    else if (query.has_ties)
        add_below<true, pair_loop::RatioOdds>(query, weight, first, last, state, gradient, hessian);
    else
        add_below<false, pair_loop::RatioOdds>(query, weight, first, last, state, gradient, hessian);
}

// 2 N_b of each document, b being its own grade.
Array<Index> own_counts(const Ascending& query, Index n_levels) {
    Array<Index> own(query.n);
    level_counts::Fenwick below(n_levels);
    const auto count = [&](Index k) { return below.count_to(query.level[k] - 1) + below.count_to(query.level[k]); };
    for (Index first = 0, last = 0; first < query.n; first = last) {
        last = query.end[first];
        for (Index k = first; k < last; ++k) own[k] = count(k);
        for (Index k = first; k < last; ++k) below.add(query.level[k]);
        for (Index k = first; k < last; ++k) own[k] += count(k);
    }
    return own;
}

// Sets `passed` as it is at place `first`.
void start_at(const Ascending& query, Index first, Index n_levels, Span<const Index> own, State& state) {
    auto below = Array<Index>::zeros(n_levels + 1);  // documents below each level
    for (Index k = 0; k < first; ++k) ++below[query.level[k] + 1];
    for (Index c = 0; c < n_levels; ++c) below[c + 1] += below[c];
    for (Index k = 0; k < first; ++k)
        state.passed[k] = static_cast<double>(2 * (below[query.level[k]] + below[query.level[k] + 1]) - own[k]);
}

}  // namespace

void sum(Span<const double> scores, Span<const std::int32_t> level, Index n_levels, double weight, Index n_parts,
         bool by_distance, Span<double> gradient, Span<double> hessian) {
    const Ascending query(scores, level, by_distance);
    const Array<Index> own = n_parts > 1 ? own_counts(query, n_levels) : Array<Index>();
    // Parts of equal numbers of pairs: a document at fraction x of the way up has that fraction of the others below it.
    const auto bound = [&](Index part) {
        const double x = std::sqrt(static_cast<double>(part) / static_cast<double>(n_parts));
        return part == n_parts ? query.n : query.start[static_cast<Index>(x * static_cast<double>(query.n))];
    };
    PaddedRows sums(2, query.n);
    sums.clear(0), sums.clear(1);
    pair_loop::add_in_parts(n_parts, query.n, sums[0], sums[1], [&](Index part, double* gradient_row, double* hessian_row) {
        State state(query.n);
        if (part > 0) start_at(query, bound(part), n_levels, own, state);
        add_run(query, weight, bound(part), bound(part + 1), state, gradient_row, hessian_row);
    });
    for (Index k = 0; k < query.n; ++k) gradient[query.order[k]] = sums[0][k], hessian[query.order[k]] = sums[1][k];
}

}  // namespace directrank::many_grades

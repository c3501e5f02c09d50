#include "measures/pairs/pairwise.hpp"

#include <cmath>
#include <limits>

#include "clones.hpp"
#include "measures/pairs/long_queries.hpp"
#include "measures/pairs/pair_loop.hpp"
#include "thread_pool.hpp"

namespace directrank::pairwise {
namespace {

using pair_loop::LaneSums;
using pair_loop::RatioOdds;
using pair_loop::SpreadOdds;

// Into how many parts a query is divided at most, and how many pairs make a part.
constexpr Index MAX_PARTS = 16, PAIRS_OF_A_PART = Index{1} << 17;

// |Delta| of document i and others, gain times discount. Discounts of tied documents are equal: their mean difference counts.
template <bool HAS_TIES>
struct DiscountedChange {
    const double *gain, *upper, *group;
    double gain_i, upper_i, group_i, tied_i;
    DiscountedChange(const Documents& d, Index i)
        : gain(d.gain), upper(d.upper), group(d.group), gain_i(d.gain[i]), upper_i(d.upper[i]), group_i(d.group[i]),
          tied_i(d.tied[i]) {}
    double operator()(Index j) const {
        double of_ranks = upper_i - upper[j];
        if constexpr (HAS_TIES) of_ranks = group[j] == group_i ? tied_i : of_ranks;
        return std::fabs((gain_i - gain[j]) * of_ranks);
    }
};

// |Delta| of document i and others.
struct GeneralChange {
    const double *gain, *upper, *lower, *group;
    double gain_i, upper_i, lower_i, group_i, tied_i;
    GeneralChange(const Documents& d, Index i)
        : gain(d.gain), upper(d.upper), lower(d.lower), group(d.group), gain_i(d.gain[i]), upper_i(d.upper[i]),
          lower_i(d.lower[i]), group_i(d.group[i]), tied_i(d.tied[i]) {}
    double operator()(Index j) const {
        const double above = upper[j] + lower_i, below = upper_i + lower[j];
        const double of_ranks = group[j] < group_i ? above : below;
        return std::fabs((gain_i - gain[j]) * (group[j] == group_i ? tied_i : of_ranks));
    }
};

// Adds the pairs of each better document from `first` to before `last` and all worse ones.
template <class OddsOf, class Change>
inline void add_worse(const Documents& d, Index first, Index last) {
    const double* level = d.level;
    Index end = 0;  // of those worse than document i
    pair_loop::add_sums(first, last, [](Index i) { return i; }, d.gradient, d.hessian, [&](Index i, LaneSums& sums) {
        const double mine = level[i];
        if (level[end] != mine) end = std::lower_bound(level + end, level + i, mine) - level;
        const Change size(d, i);
        const auto last_size = [&](Index j) {
            const double of_pair = size(j);
            return level[j] < mine ? of_pair : 0.0;
        };
        pair_loop::add_pairs<false, OddsOf>(i, end, d.e, size, last_size, d.gradient, d.hessian, sums);
    });
}

DIRECTRANK_CLONES
void add_discounted(const Documents& d, Index first, Index last) {
    if (d.is_spread)
        add_worse<SpreadOdds, DiscountedChange<true>>(d, first, last);
    else if (d.has_ties)
        add_worse<RatioOdds, DiscountedChange<true>>(d, first, last);
    else
        add_worse<RatioOdds, DiscountedChange<false>>(d, first, last);
}

DIRECTRANK_CLONES
void add_general(const Documents& d, Index first, Index last) {
    if (d.is_spread)
        add_worse<SpreadOdds, GeneralChange>(d, first, last);
    else
        add_worse<RatioOdds, GeneralChange>(d, first, last);
}

// Documents that have a discount. Two others change nothing when they swap.
struct Top {
    Array<Index> documents;
    PaddedRows turn;  // for each document of the query, where it stands if it is one of these, and -1 if it is not
    explicit Top(const Documents& d) : documents(d.n), turn(1, d.n) {
        Index n = 0;
        for (Index i = 0; i < d.n; ++i) {
            const bool is_top = d.upper[i] != 0 || d.tied[i] != 0;
            turn[0][i] = is_top ? static_cast<double>(i) : -1.0;
            if (is_top) documents[n++] = i;
        }
        documents.shrink(n);
    }
};

// Adds the pairs of top documents, from number `first` to before `last`, and all others; of two top ones the second visits the first.
template <class OddsOf, class Change>
inline void add_others(const Documents& d, const Index* top, const double* turn, Index first, Index last) {
    const double* level = d.level;
    pair_loop::add_sums(first, last, [&](Index k) { return top[k]; }, d.gradient, d.hessian, [&](Index i, LaneSums& sums) {
        const double mine = level[i], my_turn = static_cast<double>(i);
        const Change size(d, i);
        const auto change = [&](Index j) {
            const double sign = level[j] < mine ? 1.0 : level[j] > mine ? -1.0 : 0.0, of_pair = sign * size(j);
            return turn[j] < my_turn ? of_pair : 0.0;
        };
        pair_loop::add_pairs<true, OddsOf>(i, d.n, d.e, change, change, d.gradient, d.hessian, sums);
    });
}

DIRECTRANK_CLONES
void add_from_top(const Documents& d, const Index* top, const double* turn, Index first, Index last) {
    if (d.is_spread)
        add_others<SpreadOdds, DiscountedChange<true>>(d, top, turn, first, last);
    else if (d.has_ties)
        add_others<RatioOdds, DiscountedChange<true>>(d, top, turn, first, last);
    else
        add_others<RatioOdds, DiscountedChange<false>>(d, top, turn, first, last);
}

// Adds all pairs by `add(documents, first, last)`, in parts.
template <class Add>
void add_all(Documents& d, Span<const Index> starts, Limits limits, const Add& add) {
    const Array<Index> bounds = bounds_of_parts(starts, limits);
    pair_loop::add_in_parts(bounds.size() - 1, d.n, d.gradient, d.hessian, [&](Index part, double* gradient, double* hessian) {
        Documents mine = d;
        mine.gradient = gradient, mine.hessian = hessian;
        add(mine, bounds[part], bounds[part + 1]);
    });
}

// Takes documents of two grades, the worse first, and adds what they have summed to where they come from.
void add_two_grades(Documents& d, Index worse, Index end_of_worse, Index better, Index end_of_better, Limits limits) {
    if (d.gain[worse] == d.gain[better]) return;
    const Index n_worse = end_of_worse - worse;
    OwnedDocuments pair(n_worse + end_of_better - better);
    const auto take = [&](const double* from, double* to) {
        std::copy(from + better, from + end_of_better, std::copy(from + worse, from + end_of_worse, to));
    };
    take(d.level, pair.level), take(d.score, pair.score), take(d.gain, pair.gain), take(d.group, pair.group);
    take(d.upper, pair.upper), take(d.tied, pair.tied), take(d.e, pair.e);
    pair.is_spread = d.is_spread, pair.has_ties = d.has_ties;
    sum_two_grades(pair, n_worse, limits);
    for (Index i = 0; i < pair.n; ++i) {
        const Index to = i < n_worse ? worse + i : better + i - n_worse;
        d.gradient[to] += pair.gradient[i], d.hessian[to] += pair.hessian[i];
    }
}

// Sums over all pairs where `lower` is -upper: gain times discount.
void sum_discounted(Documents& d, Span<const Index> starts, Limits limits) {
    const Index n_pairs = count_pairs(starts), n_levels = starts.size() - 1;
    Top top(d);
    const Index n_top = top.documents.size(), n_top_pairs = n_top * d.n;
    if (n_top_pairs < n_pairs && n_top_pairs <= limits.max_exact_pairs) {
        const Index n_parts = parts_of(n_top_pairs, limits);
        pair_loop::add_in_parts(n_parts, d.n, d.gradient, d.hessian, [&](Index part, double* gradient, double* hessian) {
            Documents mine = d;
            mine.gradient = gradient, mine.hessian = hessian;
            add_from_top(mine, top.documents.data(), top.turn[0], part * n_top / n_parts, (part + 1) * n_top / n_parts);
        });
    } else if (n_pairs <= limits.max_exact_pairs || n_levels > MAX_GRADES_BY_TWO) {
        add_all(d, starts, limits, add_discounted);
    } else {
        for (Index a = 1; a < n_levels; ++a)
            for (Index b = 0; b < a; ++b) add_two_grades(d, starts[b], starts[b + 1], starts[a], starts[a + 1], limits);
    }
}

}  // namespace

OwnedDocuments::OwnedDocuments(Index size) : rows_(10, size) {
    n = size;
    Index row = 0;
    for (double** one : {&level, &score, &gain, &group, &upper, &lower, &tied, &gradient, &hessian, &e}) *one = rows_[row++];
    std::fill(level + n, level + rows_.stride(), std::numeric_limits<double>::quiet_NaN());
    std::fill(gradient, gradient + n, 0.0), std::fill(hessian, hessian + n, 0.0);
}

void OwnedDocuments::set_exponentials() { is_spread = pair_loop::exponentials(n, score, e); }

void order_by_level(Span<const std::int32_t> level, Index n_levels, Span<std::int32_t> by_level) {
    auto places = Array<Index>::zeros(n_levels + 1);  // counts stand one to the right, so that their sums are where a level begins
    for (const std::int32_t one : level) {
        if (one < 0 || one >= n_levels) throw std::invalid_argument("a level that is not below the number of levels");
        ++places[one + 1];
    }
    for (Index a = 1; a < n_levels; ++a) places[a] += places[a - 1];
    for (Index i = 0; i < level.size(); ++i) by_level[places[level[i]]++] = static_cast<std::int32_t>(i);
}

Array<Index> starts_of_levels(Span<const std::int32_t> by_level, Span<const std::int32_t> level) {
    const Index n = level.size();
    Index highest = 0;
    bool ok = true;
    for (const std::int32_t document : by_level) ok &= document >= 0 && document < n;
    for (const std::int32_t one : level) ok &= one >= 0 && one < n, highest = std::max<Index>(highest, one);
    Array<Index> starts(ok ? highest + 2 : 1);
    Index n_levels = 0;
    for (Index i = 0; ok && i < n; ++i) {
        const Index mine = level[by_level[i]];
        if (mine == n_levels) starts[n_levels++] = i;
        ok = mine + 1 == n_levels;
    }
    if (!ok || n_levels != highest + 1) throw std::invalid_argument("documents that are not by ascending grade, numbered from 0");
    starts[n_levels] = n;
    return starts;
}

Index count_pairs(Span<const Index> starts) {
    Index n_pairs = 0;
    for (Index a = 1; a + 1 < starts.size(); ++a) n_pairs += starts[a] * (starts[a + 1] - starts[a]);
    return n_pairs;
}

Index parts_of(Index n_pairs, Limits limits) {
    return limits.on_all_threads ? std::clamp<Index>(n_pairs / PAIRS_OF_A_PART, 1, MAX_PARTS) : 1;
}

Array<Index> bounds_of_parts(Span<const Index> starts, Limits limits) {
    const Index n_pairs = count_pairs(starts), n_parts = parts_of(n_pairs, limits);
    Array<Index> bounds(n_parts + 1);
    Index a = 1, before = 0;  // a grade, and the number of pairs whose better document is of a lower one
    for (Index part = 0; part < n_parts; ++part) {
        const Index wanted = n_pairs / n_parts * part;
        const auto of_grade = [&] { return starts[a] * (starts[a + 1] - starts[a]); };
        for (; before + of_grade() <= wanted; ++a) before += of_grade();
        bounds[part] = starts[a] + (wanted - before) / starts[a];
    }
    bounds[n_parts] = starts[starts.size() - 1];
    return bounds;
}

void sum_two_grades(Documents& d, Index n_worse, Limits limits) {
    const auto is_spread = [&] {
        const auto [lowest, highest] = std::minmax_element(d.score, d.score + d.n);
        return !(*highest - *lowest <= long_queries::MAX_SPREAD);
    };
    Index starts[] = {0, n_worse, d.n};
    if (n_worse * (d.n - n_worse) <= limits.max_exact_pairs || is_spread())
        add_all(d, {starts, 3}, limits, add_discounted);
    else
        long_queries::sum(d, n_worse);
}

void sum(const Query& query, Limits limits, Span<double> gradient, Span<double> hessian) {
    const Array<Index> starts = starts_of_levels(query.by_level, query.level);
    if (starts.size() < 3) return;  // no pair
    const Index n = query.scores.size();
    OwnedDocuments d(n);
    double first_group = 0, last_group = 0;
    for (Index i = 0; i < n; ++i) {
        const Index document = query.by_level[i];
        d.level[i] = query.level[document];
        d.score[i] = query.scores[document];
        d.gain[i] = query.gains[document];
        d.group[i] = query.group[document];
        d.upper[i] = query.upper[document];
        d.tied[i] = query.tied[document];
        first_group = std::min(first_group, d.group[i]), last_group = std::max(last_group, d.group[i]);
    }
    if (first_group < 0 || last_group >= static_cast<double>(n)) throw std::invalid_argument("tie groups not numbered from 0");
    d.has_ties = last_group + 1 < static_cast<double>(n);
    d.set_exponentials();
    if (query.lower.empty()) {
        sum_discounted(d, starts, limits);
    } else {
        for (Index i = 0; i < n; ++i) d.lower[i] = query.lower[query.by_level[i]];
        add_all(d, starts, limits, add_general);
    }
    for (Index i = 0; i < n; ++i) gradient[query.by_level[i]] = d.gradient[i], hessian[query.by_level[i]] = d.hessian[i];
}

}  // namespace directrank::pairwise

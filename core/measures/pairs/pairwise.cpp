#include "measures/pairs/pairwise.hpp"

#include <cmath>
#include <limits>

#include "clones.hpp"
#include "measures/pairs/long_queries.hpp"
#include "measures/pairs/pair_loop.hpp"
#include "measures/pairs/strata.hpp"
#include "measures/ranking/ties.hpp"

namespace directrank::pairwise {
namespace {

using pair_loop::DistanceOdds;
using pair_loop::LaneSums;
using pair_loop::OddsKind;
using pair_loop::RatioOdds;
using pair_loop::SpreadOdds;

// Largest number of parts of a query, and smallest number of pairs of a part.
constexpr Index MAX_PARTS = 16, PAIRS_OF_A_PART = Index{1} << 17;

// With at most this many documents at the top, all of their pairs are visited, however long the query is.
constexpr Index SHORT_TOP = 64;

// |Delta| of document i and others, gain times discount. Tied documents have equal discounts: their mean difference counts.
template <bool HAS_TIES>
struct DiscountedChange {
    const double *gain, *upper, *group;
    double gain_i, upper_i, group_i, tied_i;
    DiscountedChange(const Documents& d, Index i)
        : gain(d.gain),
          upper(d.upper),
          group(d.group),
          gain_i(d.gain[i]),
          upper_i(d.upper[i]),
          group_i(d.group[i]),
          tied_i(d.tied[i]) {}
    double operator()(Index j) const {
        double rank_change = upper_i - upper[j];
        if constexpr (HAS_TIES) rank_change = group[j] == group_i ? tied_i : rank_change;
        return std::fabs((gain_i - gain[j]) * rank_change);
    }
};

// |Delta| of document i and others.
struct GeneralChange {
    const double *gain, *upper, *lower, *group;
    double gain_i, upper_i, lower_i, group_i, tied_i;
    GeneralChange(const Documents& d, Index i)
        : gain(d.gain),
          upper(d.upper),
          lower(d.lower),
          group(d.group),
          gain_i(d.gain[i]),
          upper_i(d.upper[i]),
          lower_i(d.lower[i]),
          group_i(d.group[i]),
          tied_i(d.tied[i]) {}
    double operator()(Index j) const {
        const double above = upper[j] + lower_i, below = upper_i + lower[j];
        const double rank_change = group[j] < group_i ? above : below;
        return std::fabs((gain_i - gain[j]) * (group[j] == group_i ? tied_i : rank_change));
    }
};

// Adds the pairs of documents i = document(k), k from `first` to before `last`, and all worse ones.
template <class OddsOf, class Change, class Document>
inline void add_worse(const Documents& d, Index first, Index last, const Document& document) {
    const double* level = d.level;
    pair_loop::add_sums(first, last, d.n, document, d.gradient, d.hessian,
                        [&](Index i, Index begin, Index end, LaneSums& sums) {
                            const double mine = level[i];
                            const Index n_worse = d.starts[static_cast<Index>(mine)];
                            if (begin >= n_worse) return;
                            const Change change(d, i);
                            const auto last_change = [&](Index j) {
                                const double pair_change = change(j);
                                return level[j] < mine ? pair_change : 0.0;
                            };
                            pair_loop::add_pairs<false, OddsOf>(i, begin, std::min(end, n_worse), d.e, change, last_change,
                                                                d.gradient, d.hessian, sums);
                        });
}

DIRECTRANK_CLONES
void add_discounted(const Documents& d, Index first, Index last) {
    const auto document = [](Index i) { return i; };
    if (d.odds == OddsKind::DISTANCE)
        add_worse<DistanceOdds, DiscountedChange<true>>(d, first, last, document);
    else if (d.odds == OddsKind::SPREAD)
        add_worse<SpreadOdds, DiscountedChange<true>>(d, first, last, document);
    else if (d.has_ties)
        add_worse<RatioOdds, DiscountedChange<true>>(d, first, last, document);
    else
        add_worse<RatioOdds, DiscountedChange<false>>(d, first, last, document);
}

DIRECTRANK_CLONES
void add_general(const Documents& d, Index first, Index last) {
    const auto document = [](Index i) { return i; };
    if (d.odds == OddsKind::DISTANCE)
        add_worse<DistanceOdds, GeneralChange>(d, first, last, document);
    else if (d.odds == OddsKind::SPREAD)
        add_worse<SpreadOdds, GeneralChange>(d, first, last, document);
    else
        add_worse<RatioOdds, GeneralChange>(d, first, last, document);
}

// Documents with a discount, the top of a ranking. A swap of two others changes nothing.
struct Top {
    Array<Index> documents;
    PaddedRows beyond;  // the level of each document beyond the top, -1 for the top and where the row is filled up

    explicit Top(const Documents& d) : documents(d.n), beyond(1, d.n) {
        Index n = 0;
        for (Index i = 0; i < d.n; ++i) {
            const bool is_top = d.upper[i] != 0 || d.tied[i] != 0;
            beyond[0][i] = is_top ? -1.0 : d.level[i];
            if (is_top) documents[n++] = i;
        }
        std::fill(beyond[0] + d.n, beyond[0] + beyond.stride(), -1.0);
        documents.shrink(n);
    }

    // Number of pairs with a document of the top; pairs within it count twice.
    Index count_pairs(const Documents& d) const {
        Index n_pairs = 0;
        for (const Index i : documents) {
            const auto a = static_cast<Index>(d.level[i]);
            n_pairs += d.starts[a] + d.n - d.starts[a + 1];
        }
        return n_pairs;
    }
};

// Adds the pairs of top documents, from number `first` to before `last`, and the better ones that are not of the top.
template <class OddsOf>
inline void add_better(const Documents& d, const Index* top, const double* beyond, Index first, Index last) {
    const double* level = d.level;
    const auto document = [&](Index k) { return top[k]; };
    pair_loop::add_sums(
        first, last, d.n, document, d.gradient, d.hessian, [&](Index i, Index begin, Index end, LaneSums& sums) {
            const double mine = level[i];
            const Index first_better = d.starts[static_cast<Index>(mine) + 1];
            begin = std::max(begin, first_better - first_better % MAX_WIDTH);
            const DiscountedChange<false> size(d, i);
            const auto change = [&](Index j) {
                const double pair_change = -size(j);
                return beyond[j] > mine ? pair_change : 0.0;
            };
            pair_loop::add_pairs<true, OddsOf>(i, begin, end, d.e, change, change, d.gradient, d.hessian, sums);
        });
}

DIRECTRANK_CLONES
void add_from_top(const Documents& d, const Index* top, const double* beyond, Index first, Index last) {
    const auto document = [&](Index k) { return top[k]; };
    if (d.odds == OddsKind::DISTANCE) {
        add_worse<DistanceOdds, DiscountedChange<true>>(d, first, last, document);
        add_better<DistanceOdds>(d, top, beyond, first, last);
    } else if (d.odds == OddsKind::SPREAD) {
        add_worse<SpreadOdds, DiscountedChange<true>>(d, first, last, document);
        add_better<SpreadOdds>(d, top, beyond, first, last);
    } else {
        add_worse<RatioOdds, DiscountedChange<true>>(d, first, last, document);
        add_better<RatioOdds>(d, top, beyond, first, last);
    }
}

// Visits all pairs by `add(documents, first, last)`, in parts.
template <class Add>
void visit_all(const Documents& d, Limits limits, const Add& add) {
    const Array<Index> bounds = part_bounds(d.starts, limits);
    pair_loop::add_in_parts(bounds.size() - 1, d.n, d.gradient, d.hessian,
                            [&](Index part, double* gradient, double* hessian) {
                                Documents mine = d;
                                mine.gradient = gradient, mine.hessian = hessian;
                                add(mine, bounds[part], bounds[part + 1]);
                            });
}

// Adds estimates of the sums over all pairs: sums over the pairs within each stratum, times the number of strata.
template <class Add>
void add_strata(const Documents& d, Index n_strata, Limits limits, const Add& add) {
    const Array<Index> ranked = order_by_group(d);
    const strata::Strata strata(ranked, d.starts, n_strata);
    for (Index s = 0; s < n_strata; ++s) {
        const Span<const Index> documents = strata.documents(s);
        const Array<Index> starts = strata.starts(s);
        OwnedDocuments part(documents.size());
        part.starts = starts, part.odds = d.odds, part.has_ties = d.has_ties;
        for (Index a = 0; a + 1 < starts.size(); ++a)
            std::fill(part.level + starts[a], part.level + starts[a + 1], static_cast<double>(a));
        for (const auto row : {&Documents::gain, &Documents::group, &Documents::upper, &Documents::lower, &Documents::tied,
                               &Documents::e})
            for (Index k = 0; k < part.n; ++k) (part.*row)[k] = (d.*row)[documents[k]];
        if (starts.size() > 2) visit_all(part, limits, add);
        const double share = static_cast<double>(d.n) / static_cast<double>(part.n);
        for (Index k = 0; k < part.n; ++k) {
            d.gradient[documents[k]] += share * part.gradient[k];
            d.hessian[documents[k]] += share * part.hessian[k];
        }
    }
    const Span<const double> group = {d.group, d.n}, level = {d.level, d.n};
    ties::share_among_equals(group, level, ranked, {d.gradient, d.n});
    ties::share_among_equals(group, level, ranked, {d.hessian, d.n});
}

// Adds all pairs by `add(documents, first, last)`, or estimates of their sums if there are too many to visit.
template <class Add>
void add_all(const Documents& d, Limits limits, const Add& add) {
    const Index n_strata = strata::count(d.n, count_pairs(d.starts), limits.max_visited_pairs);
    if (n_strata > 1) return add_strata(d, n_strata, limits, add);
    visit_all(d, limits, add);
}

// Adds the pairs of two grades, given as runs of documents.
void add_two_grades(Documents& d, Index worse, Index end_of_worse, Index better, Index end_of_better, Limits limits) {
    if (d.gain[worse] == d.gain[better]) return;
    const Index n_worse = end_of_worse - worse;
    OwnedDocuments pair(n_worse + end_of_better - better);
    const auto take = [&](const double* from, double* to) {
        std::copy(from + better, from + end_of_better, std::copy(from + worse, from + end_of_worse, to));
    };
    std::fill(pair.level, pair.level + n_worse, 0.0), std::fill(pair.level + n_worse, pair.level + pair.n, 1.0);
    take(d.score, pair.score), take(d.gain, pair.gain), take(d.group, pair.group);
    take(d.upper, pair.upper), take(d.tied, pair.tied), take(d.e, pair.e);
    pair.odds = d.odds, pair.has_ties = d.has_ties;
    sum_two_grades(pair, n_worse, limits);
    for (Index i = 0; i < pair.n; ++i) {
        const Index to = i < n_worse ? worse + i : better + i - n_worse;
        d.gradient[to] += pair.gradient[i], d.hessian[to] += pair.hessian[i];
    }
}

// Sums over all pairs where `lower` is -upper: gain times discount.
void sum_discounted(Documents& d, Limits limits) {
    const Span<const Index> starts = d.starts;
    const Index n_pairs = count_pairs(starts), n_levels = starts.size() - 1;
    const Top top(d);
    const Index n_top = top.documents.size(), n_top_pairs = top.count_pairs(d);
    if (n_top_pairs < n_pairs && (n_top <= SHORT_TOP || n_top_pairs <= limits.max_exact_pairs)) {
        const Index n_parts = parts_of(n_top_pairs, limits);
        pair_loop::add_in_parts(n_parts, d.n, d.gradient, d.hessian, [&](Index part, double* gradient, double* hessian) {
            Documents mine = d;
            mine.gradient = gradient, mine.hessian = hessian;
            add_from_top(mine, top.documents.data(), top.beyond[0], part * n_top / n_parts, (part + 1) * n_top / n_parts);
        });
    } else if (n_pairs <= limits.max_exact_pairs || n_levels > MAX_GRADES_BY_TWO || d.odds == OddsKind::DISTANCE) {
        add_all(d, limits, add_discounted);
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
    for (double* row : {lower, gradient, hessian}) std::fill(row, row + n, 0.0);
}

void OwnedDocuments::set_exponentials(bool by_distance) { odds = pair_loop::exponentials(n, score, by_distance, e); }

void order_by_level(Span<const std::int32_t> level, Index n_levels, Span<std::int32_t> by_level) {
    auto places = Array<Index>::zeros(n_levels + 1);  // the next place of each level, from counts one to the right
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
    if (!ok || n_levels != highest + 1)
        throw std::invalid_argument("documents that are not by ascending grade, numbered from 0");
    starts[n_levels] = n;
    return starts;
}

Array<Index> order_by_group(const Documents& d) {
    const auto group_of = [&](Index i) { return static_cast<Index>(d.group[i]); };
    Index n_groups = 0;
    for (Index i = 0; i < d.n; ++i) n_groups = std::max(n_groups, group_of(i) + 1);
    auto places =
        Array<Index>::zeros(n_groups + 1);  // counts, shifted by one, whose running sums are the starts of groups
    for (Index i = 0; i < d.n; ++i) ++places[group_of(i) + 1];
    for (Index g = 0; g < n_groups; ++g) places[g + 1] += places[g];
    Array<Index> order(d.n);
    for (Index i = 0; i < d.n; ++i) order[places[group_of(i)]++] = i;
    return order;
}

Index count_pairs(Span<const Index> starts) {
    Index n_pairs = 0;
    for (Index a = 1; a + 1 < starts.size(); ++a) n_pairs += starts[a] * (starts[a + 1] - starts[a]);
    return n_pairs;
}

Index parts_of(Index n_pairs, Limits limits) {
    return limits.on_all_threads ? std::clamp<Index>(n_pairs / PAIRS_OF_A_PART, 1, MAX_PARTS) : 1;
}

Array<Index> part_bounds(Span<const Index> starts, Limits limits) {
    const Index n_pairs = count_pairs(starts), n_parts = parts_of(n_pairs, limits);
    Array<Index> bounds(n_parts + 1);
    Index a = 1, before = 0;  // a grade, and the number of pairs whose better document is of a lower one
    for (Index part = 0; part < n_parts; ++part) {
        const Index wanted = n_pairs / n_parts * part;
        const auto grade_pairs = [&] { return starts[a] * (starts[a + 1] - starts[a]); };
        for (; before + grade_pairs() <= wanted; ++a) before += grade_pairs();
        bounds[part] = starts[a] + (wanted - before) / starts[a];
    }
    bounds[n_parts] = starts[starts.size() - 1];
    return bounds;
}

void sum_two_grades(Documents& d, Index n_worse, Limits limits) {
    const auto can_be_approximated = [&] {
        const auto [lowest, highest] = std::minmax_element(d.score, d.score + d.n);
        return d.odds != OddsKind::DISTANCE && *highest - *lowest <= long_queries::MAX_SPREAD;
    };
    if (n_worse * (d.n - n_worse) > limits.max_exact_pairs && can_be_approximated()) return long_queries::sum(d, n_worse);
    const Index starts[] = {0, n_worse, d.n};
    Documents both = d;
    both.starts = {starts, 3};
    add_all(both, limits, add_discounted);
}

void sum(const Query& query, Limits limits, Span<double> gradient, Span<double> hessian) {
    const Array<Index> starts = starts_of_levels(query.by_level, query.level);
    if (starts.size() < 3) return;  // no pair
    const Index n = query.scores.size();
    OwnedDocuments d(n);
    d.starts = starts;
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
    if (first_group < 0 || last_group >= static_cast<double>(n))
        throw std::invalid_argument("tie groups not numbered from 0");
    d.has_ties = last_group + 1 < static_cast<double>(n);
    d.set_exponentials(limits.by_distance);
    if (query.lower.empty()) {
        sum_discounted(d, limits);
    } else {
        for (Index i = 0; i < n; ++i) d.lower[i] = query.lower[query.by_level[i]];
        add_all(d, limits, add_general);
    }
    for (Index i = 0; i < n; ++i) gradient[query.by_level[i]] = d.gradient[i], hessian[query.by_level[i]] = d.hessian[i];
}

}  // namespace directrank::pairwise

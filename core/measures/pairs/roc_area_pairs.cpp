#include "measures/pairs/roc_area_pairs.hpp"

#include <cmath>

#include "clones.hpp"
#include "measures/pairs/many_grades.hpp"
#include "measures/pairs/pair_loop.hpp"
#include "measures/pairs/strata.hpp"
#include "measures/ranking/sorting.hpp"
#include "measures/ranking/ties.hpp"
#include "padded_rows.hpp"

namespace directrank::roc_area_pairs {
namespace {

using pair_loop::LaneSums;

// Queries with more grades are summed as in many_grades.hpp.
constexpr Index MAX_FEW_GRADES = 64;

// Tie groups of a query with few grades, by rank, and M_c of each.
struct Groups {
    Index n_levels, n_groups = 0;
    Array<Index> document_group;
    Array<std::int32_t> above;  // M_c above each group, for all grades c; and in the end for the whole ranking

    Groups(Span<const double> scores, Span<const std::int32_t> level, Index n_levels)
        : n_levels(n_levels), document_group(scores.size()), above((scores.size() + 1) * n_levels) {
        const sorting::Ranking ranking(scores);
        std::fill(above.begin(), above.begin() + n_levels, 0);
        for (Index start = 0, end = 0; start < scores.size(); start = end, ++n_groups) {
            end = ties::group_end(ranking.scores, start);
            std::int32_t *below = above.data() + (n_groups + 1) * n_levels, *before = below - n_levels;
            for (Index rank = start; rank < end; ++rank, before = below) {
                const std::int32_t mine = level[ranking.order[rank]];
                for (std::int32_t c = 0; c < n_levels; ++c) below[c] = before[c] + (mine < c) + (mine <= c);
                document_group[ranking.order[rank]] = n_groups;
            }
        }
    }

    bool has_ties() const { return n_groups < document_group.size(); }
    // 2 M_c within a group, the mean over its orders.
    Index twice(Index c, Index group) const { return above[group * n_levels + c] + above[(group + 1) * n_levels + c]; }
    // Increase of M_c over a group.
    Index growth(Index c, Index group) const { return above[(group + 1) * n_levels + c] - above[group * n_levels + c]; }
};

// Documents by ascending grade, and the parts of |Delta| with better documents of one grade.
struct FewGrades {
    Span<const Index> starts;
    const Groups& groups;
    double weight;
    pairwise::Documents d;
    const Index* group;
    const double* own;                    // 2 M_b of each document j, b being its grade
    double *theirs, *mine, *tied_change;  // 2 (M_a - M_b)(j); 2 (M_b - M_a)(i); and |Delta| if i and j are tied
};

// Adds the pairs of documents i from `first` to before `last`, of grade a, and all worse ones.
template <bool HAS_TIES, class OddsOf>
inline void add_worse(const FewGrades& query, Index a, Index first, Index last) {
    const pairwise::Documents& d = query.d;
    const double *level = d.level, *group = d.group, grade = static_cast<double>(a), half_weight = 0.5 * query.weight;
    double *theirs = query.theirs, *mine = query.mine, *tied_change = query.tied_change;
    for (Index j = 0; j < query.starts[a]; ++j)
        theirs[j] = static_cast<double>(query.groups.twice(a, query.group[j])) - query.own[j];
    if constexpr (HAS_TIES)
        for (Index j = 0; j < query.starts[a]; ++j) {
            const Index b = static_cast<Index>(level[j]), g = query.group[j];
            tied_change[j] =
                query.weight * static_cast<double>(query.groups.growth(a, g) - query.groups.growth(b, g) + 1) / 3;
        }
    const auto document = [](Index i) { return i; };
    const Index n_worse = query.starts[a];
    pair_loop::add_sums(
        first, last, n_worse, document, d.gradient, d.hessian, [&](Index i, Index begin, Index end, LaneSums& sums) {
            for (Index b = 0; b < a; ++b) {
                const double value = static_cast<double>(query.groups.twice(b, query.group[i])) - query.own[i];
                const Index grade_end = std::min(end, query.starts[b + 1]);
                for (Index j = std::max(begin, query.starts[b]); j < grade_end; ++j) mine[j] = value;
            }
            const double my_group = group[i];
            const auto change = [&](Index j) {
                double pair_change = half_weight * std::fabs(theirs[j] + mine[j]);
                if constexpr (HAS_TIES) {
                    const double tied = tied_change[j];
                    pair_change = group[j] == my_group ? tied : pair_change;
                }
                return pair_change;
            };
            const auto last_change = [&](Index j) {
                const double pair_change = change(j);
                return level[j] < grade ? pair_change : 0.0;
            };
            pair_loop::add_pairs<false, OddsOf>(i, begin, end, d.e, change, last_change, d.gradient, d.hessian, sums);
        });
}

DIRECTRANK_CLONES
void add_grade(const FewGrades& query, Index a, Index first, Index last) {
    if (query.d.odds == pair_loop::OddsKind::DISTANCE)
        add_worse<true, pair_loop::DistanceOdds>(query, a, first, last);
    else if (query.d.odds == pair_loop::OddsKind::SPREAD)
        add_worse<true, pair_loop::SpreadOdds>(query, a, first, last);
    else if (query.d.has_ties)
        add_worse<true, pair_loop::RatioOdds>(query, a, first, last);
    else
        add_worse<false, pair_loop::RatioOdds>(query, a, first, last);
}

// Writes the lambdas of a query with few grades, each pair visited once from its better document.
void sum_few_grades(Span<const double> scores, Span<const std::int32_t> by_level, Span<const Index> starts,
                    const Groups& groups, double weight, pairwise::Limits limits, Span<double> gradient,
                    Span<double> hessian) {
    const Index n = scores.size();
    pairwise::OwnedDocuments d(n);
    PaddedRows own(1, n);
    Array<Index> group(n);
    for (Index b = 0; b < groups.n_levels; ++b)
        for (Index i = starts[b]; i < starts[b + 1]; ++i) {
            group[i] = groups.document_group[by_level[i]];
            d.level[i] = static_cast<double>(b), d.score[i] = scores[by_level[i]],
            d.group[i] = static_cast<double>(group[i]);
            own[0][i] = static_cast<double>(groups.twice(b, group[i]));
        }
    d.has_ties = groups.has_ties();
    d.set_exponentials(limits.by_distance);
    const Array<Index> bounds = pairwise::part_bounds(starts, limits);
    pair_loop::add_in_parts(
        bounds.size() - 1, n, d.gradient, d.hessian, [&](Index part, double* gradient_row, double* hessian_row) {
            PaddedRows rows(3, n);
            for (Index row = 0; row < 3; ++row) rows.clear(row);
            FewGrades query{starts, groups, weight, d, group.data(), own[0], rows[0], rows[1], rows[2]};
            query.d.gradient = gradient_row, query.d.hessian = hessian_row;
            for (Index a = 1; a < groups.n_levels; ++a) {
                const Index first = std::max(bounds[part], starts[a]), last = std::min(bounds[part + 1], starts[a + 1]);
                if (first < last) add_grade(query, a, first, last);
            }
        });
    for (Index i = 0; i < n; ++i) gradient[by_level[i]] = d.gradient[i], hessian[by_level[i]] = d.hessian[i];
}

// Adds the lambdas of two grades: -(M_a - M_b) is a discount.
void add_two_grades(Span<const double> scores, Span<const std::int32_t> better, Span<const std::int32_t> worse, Index a,
                    Index b, const Groups& groups, double weight, pairwise::Limits limits, Span<double> gradient,
                    Span<double> hessian) {
    pairwise::OwnedDocuments d(worse.size() + better.size());
    const auto take = [&](Span<const std::int32_t> documents, Index at, double level) {
        for (Index k = 0; k < documents.size(); ++k) {
            const Index group = groups.document_group[documents[k]], i = at + k;
            d.level[i] = level, d.gain[i] = level * weight, d.score[i] = scores[documents[k]],
            d.group[i] = static_cast<double>(group);
            d.upper[i] = -0.5 * static_cast<double>(groups.twice(a, group) - groups.twice(b, group));
            d.tied[i] = static_cast<double>(groups.growth(a, group) - groups.growth(b, group) + 1) / 3;
        }
    };
    take(worse, 0, 0.0), take(better, worse.size(), 1.0);
    d.has_ties = groups.has_ties();
    d.set_exponentials(limits.by_distance);
    pairwise::sum_two_grades(d, worse.size(), limits);
    const auto put_back = [&](Span<const std::int32_t> documents, Index at) {
        for (Index k = 0; k < documents.size(); ++k)
            gradient[documents[k]] += d.gradient[at + k], hessian[documents[k]] += d.hessian[at + k];
    };
    put_back(worse, 0), put_back(better, worse.size());
}

// Writes estimates of the lambdas: each stratum gets the lambdas of its own ROC area.
void sum_strata(Span<const double> scores, Span<const std::int32_t> by_level, Span<const Index> starts, Index n_strata,
                double weight, pairwise::Limits limits, Span<double> gradient, Span<double> hessian) {
    const Index n = scores.size();
    Array<double> score(n), level(n), sums(n), hessians(n);
    for (Index i = 0; i < n; ++i) score[i] = scores[by_level[i]];
    for (Index a = 0; a + 1 < starts.size(); ++a)
        std::fill(level.begin() + starts[a], level.begin() + starts[a + 1], static_cast<double>(a));
    const Array<Index> ranked = sorting::descending_order(score);
    const strata::Strata strata(ranked, starts, n_strata);
    for (Index s = 0; s < n_strata; ++s) {
        const Span<const Index> documents = strata.documents(s);
        const Array<Index> part_starts = strata.starts(s);
        const Index m = documents.size();
        Array<double> part_scores(m), part_gradient = Array<double>::zeros(m), part_hessian = Array<double>::zeros(m);
        Array<std::int32_t> part_level(m), numbers(m);
        for (Index k = 0; k < m; ++k) part_scores[k] = score[documents[k]], numbers[k] = static_cast<std::int32_t>(k);
        for (Index a = 0; a + 1 < part_starts.size(); ++a)
            std::fill(part_level.begin() + part_starts[a], part_level.begin() + part_starts[a + 1],
                      static_cast<std::int32_t>(a));
        const double n_pairs = static_cast<double>(pairwise::count_pairs(part_starts));
        const double pair_weight = weight * static_cast<double>(pairwise::count_pairs(starts)) / std::max(n_pairs, 1.0);
        sum(part_scores, numbers, part_level, pair_weight, limits, part_gradient, part_hessian);
        for (Index k = 0; k < m; ++k) sums[documents[k]] = part_gradient[k], hessians[documents[k]] = part_hessian[k];
    }
    ties::share_among_equals(score, level, ranked, sums);
    ties::share_among_equals(score, level, ranked, hessians);
    for (Index i = 0; i < n; ++i) gradient[by_level[i]] = sums[i], hessian[by_level[i]] = hessians[i];
}

}  // namespace

void sum(Span<const double> scores, Span<const std::int32_t> by_level, Span<const std::int32_t> level, double weight,
         pairwise::Limits limits, Span<double> gradient, Span<double> hessian) {
    const Array<Index> starts = pairwise::starts_of_levels(by_level, level);
    const Index n = scores.size(), n_levels = starts.size() - 1;
    if (n_levels < 2) return;
    const Index n_pairs = pairwise::count_pairs(starts);
    const bool is_long = n_pairs > limits.max_exact_pairs && !limits.by_distance;
    const bool by_two = n_levels == 2 || (is_long && n_levels <= pairwise::MAX_GRADES_BY_TWO);
    const Index n_strata = by_two ? 1 : strata::count(n, n_pairs, limits.max_visited_pairs);
    if (n_strata > 1) return sum_strata(scores, by_level, starts, n_strata, weight, limits, gradient, hessian);
    if (n_levels > MAX_FEW_GRADES) {
        const Index n_parts = pairwise::parts_of(n * (n - 1) / 2, limits);
        return many_grades::sum(scores, level, n_levels, weight, n_parts, limits.by_distance, gradient, hessian);
    }
    const Groups groups(scores, level, n_levels);
    if (!by_two) return sum_few_grades(scores, by_level, starts, groups, weight, limits, gradient, hessian);
    const auto documents_of = [&](Index c) { return by_level.slice(starts[c], starts[c + 1]); };
    for (Index a = 1; a < n_levels; ++a)
        for (Index b = 0; b < a; ++b)
            add_two_grades(scores, documents_of(a), documents_of(b), a, b, groups, weight, limits, gradient, hessian);
}

}  // namespace directrank::roc_area_pairs

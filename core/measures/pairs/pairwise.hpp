// Sums over the pairs of documents of one query; formulas are in measures/pairs/pairwise.py.
#pragma once

#include <cstdint>

#include "for_each_query.hpp"
#include "measures/pairs/pair_loop.hpp"
#include "padded_rows.hpp"
#include "span.hpp"

namespace directrank::pairwise {

// Documents of one query in padded rows, by ascending grade. `Swaps` in swaps.py defines gain, group, upper, lower and tied.
struct Documents {
    Index n;
    Span<const Index> starts;  // start of each grade, and the end
    double *level, *score, *gain, *group, *upper, *lower, *tied, *gradient, *hessian;
    double* e;  // as in pair_loop::exponentials
    pair_loop::OddsKind odds = pair_loop::OddsKind::RATIO;
    bool has_ties = true;
};

// Documents with memory for their rows. Lower, gradient and hessian are 0, and the padding of the levels is NaN, neither
// below nor above any other.
struct OwnedDocuments : Documents {
    explicit OwnedDocuments(Index n);
    // Sets e and odds.
    void set_exponentials(bool by_distance);

  private:
    PaddedRows rows_;
};

// How a query is summed: sums of gain times discount over more pairs of two grades than `max_exact_pairs` are approximated,
// as in long_queries.hpp; of more other pairs than `max_visited_pairs`, samples are visited, as in strata.hpp.
struct Limits {
    Index max_exact_pairs, max_visited_pairs;
    bool on_all_threads;
    bool by_distance;  // whether pairs count by the distance of their scores, see pair_loop::MIN_DISTANCE
};

// With more grades, the pairs of a query are not summed two grades at a time.
constexpr Index MAX_GRADES_BY_TWO = 16;

// Calls `work(q, start, end, on_all_threads)` for each query of two documents or more: short queries are spread over the
// threads, and each long one is parallelised itself.
template <class Work>
void for_each_query_of_pairs(Span<const Index> offsets, Index max_short_query, const Work& work) {
    for_each_query(offsets, [&](Index q, Index start, Index end) {
        if (end - start > 1 && end - start <= max_short_query) work(q, start, end, false);
    });
    for (Index q = 0; q + 1 < offsets.size(); ++q)
        if (offsets[q + 1] - offsets[q] > std::max<Index>(max_short_query, 1)) work(q, offsets[q], offsets[q + 1], true);
}

// Writes the documents of a query by ascending grade.
void order_by_level(Span<const std::int32_t> level, Index n_levels, Span<std::int32_t> by_level);

// Start of each grade among documents by ascending grade, and the end; throws unless grades are numbered from 0.
Array<Index> starts_of_levels(Span<const std::int32_t> by_level, Span<const std::int32_t> level);

// The documents by descending score, which is by tie group, ties by ascending number.
Array<Index> order_by_group(const Documents& documents);

// Number of pairs of unequal grade.
Index count_pairs(Span<const Index> starts);

// Number of parts of a query.
Index parts_of(Index n_pairs, Limits limits);

// Bounds of parts with about the same number of pairs, each pair counted with its better document; there must be a pair.
Array<Index> part_bounds(Span<const Index> starts, Limits limits);

// Sums over all pairs of grades 0, the first `n_worse` documents, and 1, where `lower` is -upper: gain times discount.
void sum_two_grades(Documents& documents, Index n_worse, Limits limits);

// One query as it comes from Python; `lower` is empty if it is -upper.
struct Query {
    Span<const double> scores;
    Span<const std::int32_t> by_level, level, group;
    Span<const double> gains, upper, lower, tied;

    Query slice(Index start, Index end) const {
        return {scores.slice(start, end),
                by_level.slice(start, end),
                level.slice(start, end),
                group.slice(start, end),
                gains.slice(start, end),
                upper.slice(start, end),
                lower.empty() ? lower : lower.slice(start, end),
                tied.slice(start, end)};
    }
};

// Writes the lambdas of one query.
void sum(const Query& query, Limits limits, Span<double> gradient, Span<double> hessian);

}  // namespace directrank::pairwise

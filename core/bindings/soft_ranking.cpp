#include "measures/smoothing/soft_ranking.hpp"

#include <limits>

#include "bindings/kernels.hpp"
#include "scratch.hpp"

using namespace directrank;

namespace {

// Scores and gains of the documents of a query by rank.
struct Ranking {
    Scratch<double> scores, gains;

    Ranking(Span<const double> unranked_scores, Span<const double> unranked_gains, Span<const Index> order)
        : scores(order.size()), gains(order.size()) {
        check_range(order, 0, order.size());
        for (Index rank = 0; rank < order.size(); ++rank)
            scores[rank] = unranked_scores[order[rank]], gains[rank] = unranked_gains[order[rank]];
    }
};

// Number of ranks of a query that count and have a document.
Index counting_ranks(Span<const double> ranked_scores, Index depth, bool unranked) {
    Index n = ranked_scores.size();
    while (!unranked && n > 0 && ranked_scores[n - 1] == -std::numeric_limits<double>::infinity()) --n;
    return std::max<Index>(std::min(depth, n), 0);
}

}  // namespace

DIRECTRANK_KERNELS(soft_ranking) {
    m.def(
        "smooth",
        [](Span<const double> scores, Span<const double> gains, Span<const Index> order, Span<const Index> offsets,
           double sigma, double reach, Span<const Index> depths, bool unranked) {
            check_queries(offsets, {scores.size(), gains.size(), order.size()});
            check_length(offsets.size() - 1, {depths.size()});
            check_widths(sigma, reach);
            auto expected = Array<double>::zeros(scores.size()), totals = Array<double>::zeros(scores.size());
            Array<Index> counting(depths.size());
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                const Ranking ranking(scores.slice(start, end), gains.slice(start, end), order.slice(start, end));
                const Index n_ranks = counting[q] = counting_ranks(ranking.scores, depths[q], unranked);
                soft_ranking::smooth(ranking.scores, ranking.gains, sigma, reach, expected.slice(start, start + n_ranks),
                                     totals.slice(start, start + n_ranks));
            });
            return std::tuple(std::move(expected), std::move(totals), std::move(counting));
        },
        released);
    m.def(
        "differentiate",
        [](Span<const double> scores, Span<const double> gains, Span<const Index> order, Span<const Index> offsets,
           double sigma, double reach, Span<const Index> depths, Span<const double> expected, Span<const double> totals,
           Span<const double> slopes) {
            check_queries(offsets, {scores.size(), gains.size(), order.size()});
            check_length(scores.size(), {expected.size(), totals.size(), slopes.size()});
            check_length(offsets.size() - 1, {depths.size()});
            check_widths(sigma, reach);
            Array<double> gradient(scores.size());
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                const auto documents = order.slice(start, end);
                const Ranking ranking(scores.slice(start, end), gains.slice(start, end), documents);
                const Scratch<double> by_rank(end - start);
                const Index last = start + std::clamp<Index>(depths[q], 0, end - start);
                soft_ranking::differentiate(ranking.scores, ranking.gains, sigma, reach, expected.slice(start, last),
                                            totals.slice(start, last), slopes.slice(start, last), by_rank);
                for (Index rank = 0; rank < end - start; ++rank) gradient[start + documents[rank]] = by_rank[rank];
            });
            return gradient;
        },
        released);
}

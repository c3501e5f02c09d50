#include "measures/smoothing/soft_ranking.hpp"

#include <limits>

#include "bindings/kernels.hpp"
#include "scratch.hpp"

using namespace directrank;

namespace {

// The values of a query's documents by rank.
void take(Span<const double> values, Span<const Index> order, Span<double> ranked) {
    for (Index rank = 0; rank < order.size(); ++rank) ranked[rank] = values[order[rank]];
}

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
            check_reach(reach);
            auto expected = Array<double>::zeros(scores.size()), totals = Array<double>::zeros(scores.size());
            Array<Index> counting(depths.size());
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                const auto documents = order.slice(start, end);
                check_range(documents, 0, end - start);
                const Scratch<double> ranked_scores(end - start), ranked_gains(end - start);
                take(scores.slice(start, end), documents, ranked_scores);
                take(gains.slice(start, end), documents, ranked_gains);
                const Index n_ranks = counting[q] = counting_ranks(ranked_scores, depths[q], unranked);
                soft_ranking::smooth(ranked_scores, ranked_gains, sigma, reach, expected.slice(start, start + n_ranks),
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
            check_queries(offsets, {scores.size(), gains.size(), order.size(), expected.size(), totals.size(),
                                    slopes.size()});
            check_length(offsets.size() - 1, {depths.size()});
            check_reach(reach);
            Array<double> gradient(scores.size());
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                const auto documents = order.slice(start, end);
                check_range(documents, 0, end - start);
                const Scratch<double> ranked_scores(end - start), ranked_gains(end - start), by_rank(end - start);
                take(scores.slice(start, end), documents, ranked_scores);
                take(gains.slice(start, end), documents, ranked_gains);
                const Index last = start + counting_ranks(ranked_scores, depths[q], true);
                soft_ranking::differentiate(ranked_scores, ranked_gains, sigma, reach, expected.slice(start, last),
                                            totals.slice(start, last), slopes.slice(start, last), by_rank);
                for (Index rank = 0; rank < end - start; ++rank) gradient[start + documents[rank]] = by_rank[rank];
            });
            return gradient;
        },
        released);
}

#include "measures/violations/interleaving.hpp"

#include "bindings/queries.hpp"

using namespace directrank;

namespace {

// Number of documents of the longest query.
Index longest(Span<const Index> offsets) {
    Index n = 0;
    for (Index q = 0; q + 1 < offsets.size(); ++q) n = std::max(n, offsets[q + 1] - offsets[q]);
    return n;
}

}  // namespace

DIRECTRANK_KERNELS(interleaving) {
    m.def(
        "most_violated_precisions",
        [](Span<const double> scores, Span<const bool> relevant, Span<const Index> offsets, Span<const double> alone,
           Span<const double> each_above, Span<const double> table) {
            check_queries(offsets, {scores.size(), relevant.size()});
            const Index n_ranks = longest(offsets);
            check_at_least(n_ranks, alone.size()), check_at_least(n_ranks, each_above.size());
            check_at_least(n_ranks + 1, table.size());
            return violation(offsets, [&](Index, Index start, Index end, Span<double> coefficients) {
                return interleaving::precisions(scores.slice(start, end), relevant.slice(start, end), alone, each_above,
                                                table, coefficients);
            });
        },
        released);
    m.def(
        "most_violated_gains",
        [](Span<const double> scores, Span<const double> gains, Span<const Index> offsets, Span<const double> to_rank,
           Span<const double> minorant, Index n_equal_ranks) {
            check_queries(offsets, {scores.size(), gains.size()});
            const Index n_ranks = longest(offsets);
            check_at_least(n_ranks + 1, to_rank.size()), check_at_least(n_ranks + 1, minorant.size());
            const Index n_equal = std::max<Index>(std::min(n_equal_ranks, n_ranks), 0);
            const Array<double> equal(n_equal + 1, n_ranks > 0 ? minorant[1] : 0);
            return violation(offsets, [&](Index, Index start, Index end, Span<double> coefficients) {
                const Span<const double> discounts = end - start > n_equal_ranks ? minorant : equal.span();
                return interleaving::several_gains(scores.slice(start, end), gains.slice(start, end), to_rank, discounts,
                                                   coefficients);
            });
        },
        released);
    m.def(
        "most_violated_first_ranks",
        [](Span<const double> scores, Span<const bool> relevant, Span<const Index> offsets, Span<const Index> depths) {
            check_queries(offsets, {scores.size(), relevant.size()});
            check_length(offsets.size() - 1, {depths.size()});
            return violation(offsets, [&](Index q, Index start, Index end, Span<double> coefficients) {
                return interleaving::first_ranks(scores.slice(start, end), relevant.slice(start, end), depths[q],
                                                 coefficients);
            });
        },
        released);
    m.def(
        "most_violated_first_relevant",
        [](Span<const double> scores, Span<const bool> relevant, Span<const Index> offsets, Index k) {
            check_queries(offsets, {scores.size(), relevant.size()});
            return violation(offsets, [&](Index, Index start, Index end, Span<double> coefficients) {
                return interleaving::first_relevant(scores.slice(start, end), relevant.slice(start, end), k, coefficients);
            });
        },
        released);
}

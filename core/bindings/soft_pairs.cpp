#include "measures/smoothing/soft_pairs.hpp"

#include "bindings/kernels.hpp"
#include "measures/ranking/level_counts.hpp"
#include "measures/ranking/sorting.hpp"
#include "scratch.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(soft_pairs) {
    m.def(
        "smooth",
        [](Span<const double> scores, Span<const std::int32_t> level, Span<const Index> n_levels, Span<const Index> offsets,
           Span<const Index> pairs, double sigma, double reach) {
            check_queries(offsets, {scores.size(), level.size()});
            check_length(offsets.size() - 1, {n_levels.size(), pairs.size()});
            check_widths(sigma, reach);
            auto values = Array<double>::zeros(pairs.size()), gradient = Array<double>::zeros(scores.size());
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                const Index n = end - start;
                if (!level_counts::are_valid(level.slice(start, end), n_levels[q]))
                    throw std::invalid_argument("levels that are not numbered from 0 to one less than their number");
                if (pairs[q] <= 0) return;
                const Scratch<Index> order(n);
                const Scratch<double> ranked(n), by_rank(n);
                const Scratch<std::int32_t> ranked_level(n);
                sorting::descending_order(scores.slice(start, end), order);
                for (Index rank = 0; rank < n; ++rank)
                    ranked[rank] = scores[start + order[rank]], ranked_level[rank] = level[start + order[rank]];
                const auto n_pairs = static_cast<double>(pairs[q]);
                values[q] = soft_pairs::sum(ranked, ranked_level, n_levels[q], sigma, reach, by_rank) / n_pairs;
                for (Index rank = 0; rank < n; ++rank) gradient[start + order[rank]] = by_rank[rank] / (n_pairs * sigma);
            });
            return std::pair(std::move(values), std::move(gradient));
        },
        released);
}

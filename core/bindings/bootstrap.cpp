#include "evaluation/bootstrap.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

// Queries are drawn with 32 random bits.
constexpr Index MAX_QUERIES = Index{1} << 32;

constexpr Index RESAMPLES_OF_A_PART = 64;

DIRECTRANK_KERNELS(bootstrap) {
    m.def(
        "resampled_means",
        [](Grid<const double> by_query, Index n_resamples, std::uint64_t seed) {
            const Index n_queries = by_query.rows(), n_columns = by_query.columns();
            if (n_resamples < 0) throw std::invalid_argument("the number of resamples must be at least 0");
            if (n_queries < 1 || n_queries > MAX_QUERIES)
                throw std::invalid_argument("there must be between 1 and 2^32 queries");
            Table<double> means(n_resamples, n_columns);
            if (n_columns == 0) return means;
            for_each_block(n_resamples, RESAMPLES_OF_A_PART, [&](Index start, Index end) {
                Table<double> group(bootstrap::GROUP, n_columns);
                for (Index first = start; first < end; first += bootstrap::GROUP) {
                    bootstrap::resampled_means(by_query.data(), n_queries, n_columns, first, seed, group.grid().data());
                    const Index n = std::min(bootstrap::GROUP, end - first);
                    std::copy_n(group.grid().data(), n * n_columns, means[first].data());
                }
            });
            return means;
        },
        released);
}

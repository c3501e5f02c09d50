#include "evaluation/paired_tests.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

constexpr Index MAX_PERMUTATIONS = Index{1} << 48;

static void check_groups(Grid<const double> centred) {
    if (centred.rows() % paired_tests::WORD != 0 || centred.columns() % paired_tests::GROUP != 0)
        throw std::invalid_argument("values that are not in whole groups of 64 queries and 4 rankings");
}

DIRECTRANK_KERNELS(paired_tests) {
    m.def(
        "signed_sums",
        [](Grid<const double> centred, Index start, Index end, std::uint64_t seed) {
            check_groups(centred);
            if (start < 0 || end < start || end > MAX_PERMUTATIONS)
                throw std::invalid_argument("permutations that do not ascend from 0 to at most 2^48");
            return paired_tests::signed_sums(centred, start, end, seed);
        },
        released);
    m.def(
        "count_reaching",
        [](Grid<const double> centred, Grid<const Index> pairs, Span<const double> thresholds, Index n_permutations,
           std::uint64_t seed) {
            check_groups(centred);
            check_length(2, {pairs.columns()});
            check_length(pairs.rows(), {thresholds.size()});
            check_range(Span<const Index>(pairs.data(), 2 * pairs.rows()), 0, centred.columns());
            if (n_permutations < 0 || n_permutations > MAX_PERMUTATIONS)
                throw std::invalid_argument("the number of permutations must be from 0 to 2^48");
            const Index n_blocks = (n_permutations + paired_tests::BLOCK - 1) / paired_tests::BLOCK;
            Table<Index> counts_by_block(n_blocks, pairs.rows());
            // All pairs swap the same queries, so the signed sum of a pair's differences is the signed sum of the first
            // ranking minus that of the second: one sum per ranking is enough.
            for_each_block(n_permutations, paired_tests::BLOCK, [&](Index start, Index end) {
                const auto sums = paired_tests::signed_sums(centred, start, end, seed);
                const auto counts = counts_by_block[start / paired_tests::BLOCK];
                for (Index pair = 0; pair < pairs.rows(); ++pair)
                    counts[pair] = paired_tests::count_reaching(
                        sums[pairs(pair, 0)].data(), sums[pairs(pair, 1)].data(), end - start, thresholds[pair]);
            });
            auto counts = Array<Index>::zeros(pairs.rows());
            for (Index block = 0; block < n_blocks; ++block)
                for (Index pair = 0; pair < counts.size(); ++pair) counts[pair] += counts_by_block(block, pair);
            return counts;
        },
        released);
}

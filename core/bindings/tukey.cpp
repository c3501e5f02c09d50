#include "evaluation/tukey.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

constexpr Index MAX_PERMUTATIONS = Index{1} << 32;

DIRECTRANK_KERNELS(tukey) {
    m.def(
        "permuted_ranges",
        [](Grid<const double> values, Index n_permutations, std::uint64_t seed) {
            if (values.columns() < 1) throw std::invalid_argument("values of no ranking");
            if (n_permutations < 0 || n_permutations > MAX_PERMUTATIONS)
                throw std::invalid_argument("the number of permutations must be from 0 to 2^32");
            Array<double> ranges(n_permutations);
            for_each_block(n_permutations, tukey::BLOCK, [&](Index start, Index end) {
                tukey::permuted_ranges(values, start, end, seed, ranges.data() + start);
            });
            return ranges;
        },
        released);
}

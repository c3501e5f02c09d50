#include "evaluation/tukey.hpp"

#include <algorithm>
#include <utility>

#include "evaluation/random_words.hpp"

namespace directrank::tukey {
namespace {

// Shuffles a row (Fisher & Yates) and adds it to the sums. Each half of a random word, as a fraction of 2^32, draws one of
// the values that are left (Lemire 2019).
inline void add_shuffled(double* row, Index n, std::uint64_t seed, std::uint64_t counter, double* sums) {
    std::uint64_t bits = 0;
    for (Index last = n - 1; last > 0; --last) {
        const bool odd = (n - 1 - last) % 2 != 0;
        bits = odd ? bits >> 32 : random_words::random_word(seed, counter++);
        const auto chosen = static_cast<Index>(((bits & 0xFFFFFFFF) * static_cast<std::uint64_t>(last + 1)) >> 32);
        std::swap(row[last], row[chosen]);
        sums[last] += row[last];
    }
    sums[0] += row[0];
}

}  // namespace

void permuted_ranges(Grid<const double> values, Index start, Index end, std::uint64_t seed, double* ranges) {
    const Index n_queries = values.rows(), n_rankings = values.columns();
    const auto words_per_query = static_cast<std::uint64_t>(n_rankings / 2);
    Array<double> row(n_rankings), sums(n_rankings);
    for (Index permutation = start; permutation < end; ++permutation) {
        for (Index j = 0; j < n_rankings; ++j) sums[j] = 0;
        auto counter = static_cast<std::uint64_t>(permutation) * static_cast<std::uint64_t>(n_queries) * words_per_query;
        for (Index query = 0; query < n_queries; ++query, counter += words_per_query) {
            std::copy_n(values.data() + query * n_rankings, n_rankings, row.data());
            add_shuffled(row.data(), n_rankings, seed, counter, sums.data());
        }
        const auto [lowest, highest] = std::minmax_element(sums.data(), sums.data() + n_rankings);
        ranges[permutation - start] = *highest - *lowest;
    }
}

}  // namespace directrank::tukey

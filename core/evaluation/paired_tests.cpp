#include "evaluation/paired_tests.hpp"

#include <cmath>

#include "clones.hpp"
#include "evaluation/random_words.hpp"

namespace directrank::paired_tests {
namespace {

// Number of combinations of the signs of 8 queries.
constexpr Index SIGNS = 256;

using Row = double[GROUP];

// Sums of the values of 8 queries with all combinations of signs: bit q of a row's number is the sign of query q, 1 for
// plus.
inline void fill(const double* values, Index n_rankings, Row* table) {
    for (Index j = 0; j < GROUP; ++j) {
        double sum = 0;
        for (Index query = 0; query < 8; ++query) sum += values[query * n_rankings + j];
        table[0][j] = -sum;
    }
    for (Index query = 0; query < 8; ++query)
        for (Index row = 0; row < Index{1} << query; ++row)
            for (Index j = 0; j < GROUP; ++j)
                table[row + (Index{1} << query)][j] = table[row][j] + 2 * values[query * n_rankings + j];
}

// Sums of one group of rankings. Each byte of a random word selects a row of a table of sums over 8 queries.
DIRECTRANK_CLONES
void sums_of_group(const double* values, Index n_words, Index n_rankings, Index start, Index n, std::uint64_t seed,
                   Row* tables, Row* sums) {
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < GROUP; ++j) sums[i][j] = 0;
    for (Index word = 0; word < n_words; ++word) {
        for (Index byte = 0; byte < 8; ++byte)
            fill(values + (WORD * word + 8 * byte) * n_rankings, n_rankings, tables + SIGNS * byte);
        for (Index i = 0; i < n; ++i) {
            const auto counter = static_cast<std::uint64_t>(start + i) * static_cast<std::uint64_t>(n_words);
            const std::uint64_t signs = random_words::random_word(seed, counter + static_cast<std::uint64_t>(word));
            for (Index byte = 0; byte < 8; ++byte) {
                const double* row = tables[SIGNS * byte + static_cast<Index>(signs >> (8 * byte) & (SIGNS - 1))];
                for (Index j = 0; j < GROUP; ++j) sums[i][j] += row[j];
            }
        }
    }
}

}  // namespace

Table<double> signed_sums(Grid<const double> centred, Index start, Index end, std::uint64_t seed) {
    const Index n = end - start;
    Array<Row> tables(8 * SIGNS), group(n);
    Table<double> sums(centred.columns(), n);
    for (Index first = 0; first < centred.columns(); first += GROUP) {
        sums_of_group(centred.data() + first, centred.rows() / WORD, centred.columns(), start, n, seed, tables.data(),
                      group.data());
        for (Index j = 0; j < GROUP; ++j)
            for (Index i = 0; i < n; ++i) sums(first + j, i) = group[i][j];
    }
    return sums;
}

DIRECTRANK_CLONES
Index count_reaching(const double* first, const double* second, Index n, double threshold) {
    Index count = 0;
    for (Index i = 0; i < n; ++i) count += std::fabs(first[i] - second[i]) >= threshold;
    return count;
}

}  // namespace directrank::paired_tests

#include "evaluation/bootstrap.hpp"

#include "clones.hpp"
#include "evaluation/random_words.hpp"

namespace directrank::bootstrap {
namespace {

// Number of random words drawn before their queries' values are summed; a word draws two queries.
constexpr Index WORDS = 128;

// Adds `width` columns of the drawn queries to the sums of GROUP resamples, one query after another.
template <int width>
inline void add_rows(const double* values, Index n_columns, const std::uint32_t (*drawn)[2 * WORDS], Index n_drawn,
                     double* sums) {
    double total[GROUP][width];
    for (Index k = 0; k < GROUP; ++k)
        for (int j = 0; j < width; ++j) total[k][j] = sums[k * n_columns + j];
    for (Index i = 0; i < n_drawn; ++i)
        for (Index k = 0; k < GROUP; ++k) {
            const double* row = values + static_cast<Index>(drawn[k][i]) * n_columns;
            for (int j = 0; j < width; ++j) total[k][j] += row[j];
        }
    for (Index k = 0; k < GROUP; ++k)
        for (int j = 0; j < width; ++j) sums[k * n_columns + j] = total[k][j];
}

}  // namespace

DIRECTRANK_CLONES
void resampled_means(const double* values, Index n_queries, Index n_columns, Index first, std::uint64_t seed,
                     double* means) {
    std::uint32_t drawn[GROUP][2 * WORDS];
    const Index n_words = (n_queries + 1) / 2;
    const auto n = static_cast<std::uint64_t>(n_queries);
    for (Index i = 0; i < GROUP * n_columns; ++i) means[i] = 0;
    for (Index start = 0; start < n_words; start += WORDS) {
        const Index count = n_words - start < WORDS ? n_words - start : WORDS;
        for (Index k = 0; k < GROUP; ++k) {
            const auto n_before = static_cast<std::uint64_t>(first + k) * static_cast<std::uint64_t>(n_words);
            for (Index word = 0; word < count; ++word) {
                const auto counter = n_before + static_cast<std::uint64_t>(start + word);
                const std::uint64_t bits = random_words::random_word(seed, counter);
                // Each half of the bits, as a fraction of 2^32, times the number of queries is a query (Lemire 2019).
                drawn[k][2 * word] = static_cast<std::uint32_t>(((bits & 0xFFFFFFFF) * n) >> 32);
                drawn[k][2 * word + 1] = static_cast<std::uint32_t>(((bits >> 32) * n) >> 32);
            }
        }
        const Index n_drawn = n_queries - 2 * start < 2 * count ? n_queries - 2 * start : 2 * count;
        Index column = 0;
        for (; column + 8 <= n_columns; column += 8) add_rows<8>(values + column, n_columns, drawn, n_drawn, means + column);
        for (; column + 2 <= n_columns; column += 2) add_rows<2>(values + column, n_columns, drawn, n_drawn, means + column);
        for (; column < n_columns; ++column) add_rows<1>(values + column, n_columns, drawn, n_drawn, means + column);
    }
    for (Index i = 0; i < GROUP * n_columns; ++i) means[i] /= static_cast<double>(n_queries);
}

}  // namespace directrank::bootstrap

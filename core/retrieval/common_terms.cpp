#include "retrieval/common_terms.hpp"

#include "clones.hpp"

namespace directrank::common_terms {

DIRECTRANK_CLONES
void count_before(const std::uint64_t* bits, Index n_words, std::int32_t* before) {
    std::int64_t n = 0;
    for (Index word = 0; word < n_words; ++word) {
        before[word] = static_cast<std::int32_t>(n);
        n += bits_set(bits[word]);
    }
}

DIRECTRANK_CLONES
bool fits(const std::uint64_t* bits, const std::int32_t* before, Index n_words, Index n_postings) {
    std::int64_t n = 0;
    bool ok = true;
    for (Index word = 0; word < n_words; ++word) {
        ok &= before[word] == n;
        n += bits_set(bits[word]);
    }
    return ok && n == n_postings;
}

}  // namespace directrank::common_terms

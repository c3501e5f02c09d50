// Bit vectors with rank counts for common terms; see retrieval/common_terms.py.
#pragma once

#include <cstdint>

#include "span.hpp"

namespace directrank::common_terms {

// Population count; compilers recognise this formula.
inline std::int64_t bits_set(std::uint64_t word) {
    const std::uint64_t pairs = word - ((word >> 1) & 0x5555555555555555);
    const std::uint64_t fours = (pairs & 0x3333333333333333) + ((pairs >> 2) & 0x3333333333333333);
    const std::uint64_t eights = (fours + (fours >> 4)) & 0x0F0F0F0F0F0F0F0F;
    return static_cast<std::int64_t>((eights * 0x0101010101010101) >> 56);
}

// Number of words of a bit vector.
inline Index n_words(Index n_documents) { return (n_documents + 63) / 64; }

// Writes the number of bits set before each word.
void count_before(const std::uint64_t* bits, Index n_words, std::int32_t* before);

// Whether a bit vector has this number of bits set.
bool fits(const std::uint64_t* bits, const std::int32_t* before, Index n_words, Index n_postings);

// Writes the bit vector of a term into zeroed words; documents must be in range.
inline void fill(Span<const std::int32_t> documents, Span<std::uint64_t> bits, Span<std::int32_t> before) {
    for (const std::int32_t document : documents) bits[document >> 6] |= std::uint64_t{1} << (document & 63);
    count_before(bits.data(), bits.size(), before.data());
}

// Position of a document's posting in the list of the term; -1 if the document does not contain it.
inline std::int64_t place_of(Index document, const std::uint64_t* bits, const std::int32_t* before) {
    const std::uint64_t word = bits[document >> 6], own = std::uint64_t{1} << (document & 63);
    return word & own ? before[document >> 6] + bits_set(word & (own - 1)) : -1;
}

}  // namespace directrank::common_terms

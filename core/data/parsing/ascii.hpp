// Characters of text files, one at a time and eight at a time.
#pragma once

#include <cstdint>
#include <cstring>

#ifdef _MSC_VER
#include <intrin.h>
#endif

#include "span.hpp"

namespace directrank {

using Byte = std::uint8_t;
using Text = Span<const Byte>;

namespace ascii {

constexpr Byte SPACE = ' ', NEWLINE = '\n', TAB = '\t', HASH = '#', COLON = ':';

// Whether a character is whitespace, as in C. Other control characters are part of a word, so that a stray one in a number
// is an error.
inline bool is_blank(Byte c) { return c == SPACE || static_cast<Byte>(c - TAB) < 5; }
inline bool is_digit(Byte c) { return static_cast<Byte>(c - '0') < 10; }

// Eight bytes as a little-endian integer.
inline std::uint64_t load(const Byte* at) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

// The first n of eight bytes, n from 1 to 8; `room` bytes are readable.
inline std::uint64_t load(const Byte* at, Index n, Index room) {
    if (room >= 8) return load(at) & ~std::uint64_t{0} >> (64 - 8 * n);
    std::uint64_t word = 0;
    for (Index i = 0; i < n; ++i) word |= static_cast<std::uint64_t>(at[i]) << 8 * i;
    return word;
}

// Index of the lowest nonzero byte of a nonzero word.
inline Index first_byte(std::uint64_t word) {
#ifdef _MSC_VER
    unsigned long bit;
    _BitScanForward64(&bit, word);
    return static_cast<Index>(bit / 8);
#else
    return __builtin_ctzll(word) / 8;
#endif
}

// Sets the highest bit of the lowest byte that is at most SPACE; higher bytes may be marked spuriously.
inline std::uint64_t mark_blanks(std::uint64_t word) {
    return (word - 0x2121212121212121) & ~word & 0x8080808080808080;
}

}  // namespace ascii
}  // namespace directrank

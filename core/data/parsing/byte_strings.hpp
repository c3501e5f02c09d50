// Strings as slices of a byte buffer: hashing them, factorizing columns of them, binary search.
#pragma once

#include <limits>
#include <stdexcept>
#include <vector>

#include "data/parsing/lines.hpp"

namespace directrank::byte_strings {

using lines::ByteStrings;
using Code = std::int32_t;

// Checks that a code can be assigned to each of n strings.
inline void check_count(Index n) {
    if (n < 0 || n > std::numeric_limits<Code>::max()) throw std::invalid_argument("more names than can be numbered");
}

constexpr std::uint64_t PRIME = (std::uint64_t{1} << 61) - 1;

// Product modulo 2^61 - 1, up to one multiple of it, for a below 2^61 and b below 2^62.
inline std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
#ifdef __SIZEOF_INT128__
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    const auto low = static_cast<std::uint64_t>(product), high = static_cast<std::uint64_t>(product >> 64);
#else
    const std::uint64_t a_high = a >> 32, a_low = a & 0xFFFFFFFF, b_high = b >> 32, b_low = b & 0xFFFFFFFF;
    const std::uint64_t middle = a_high * b_low, cross = a_low * b_high;
    const std::uint64_t carry = ((a_low * b_low >> 32) + (middle & 0xFFFFFFFF) + cross) >> 32;
    const std::uint64_t low = a * b, high = a_high * b_high + (middle >> 32) + carry;
#endif
    return (low & PRIME) + (high << 3 | low >> 61);
}

// Keyed polynomial hash: the length and the bytes of a string, seven at a time, are the coefficients of a polynomial modulo
// 2^61 - 1, evaluated at the key.
//
// Any two strings of up to n bytes collide for at most n / 7 + 2 of the 2^61 keys, so colliding input cannot be crafted
// without the key. The final mixing is for the hash table, which indexes by the low bits.
inline std::uint64_t hash(Text name, const Byte* text_end, std::uint64_t key) {
    std::uint64_t code = multiply(key, static_cast<std::uint64_t>(name.size()));
    Index left = name.size();
    for (const Byte* at = name.data(); left > 0; at += 7, left -= 7) {
        code = (code & PRIME) + (code >> 61) + ascii::load(at, std::min<Index>(left, 7), text_end - at);
        code = multiply(key, code);
    }
    code = (code ^ code >> 32) * 0x9E3779B97F4A7C15;
    return code ^ code >> 32;
}

// An open-addressing hash table from strings to codes.
//
// An entry holds the upper half of the hash above code + 1 (0 is an empty slot), so that strings are compared only where
// the upper halves agree.
class HashTable {
  public:
    // Clears the table and reserves room for n strings.
    void reset(Index n) {
        Index size = 2;
        while (size < n + n / 2) size *= 2;
        mask_ = static_cast<std::uint64_t>(size - 1);
        if (size > slots_.size())
            slots_ = Array<std::uint64_t>::zeros(size);
        else
            std::fill_n(slots_.begin(), size, 0);
    }

    // The code of a string; a new string gets `next`. `has_name(code)` compares it with the string of a code.
    template <class HasName>
    Code find_or_add(std::uint64_t hash, Code next, const HasName& has_name) {
        std::uint64_t at = hash & mask_;
        for (; slots_[static_cast<Index>(at)] != 0; at = (at + 1) & mask_) {
            const std::uint64_t entry = slots_[static_cast<Index>(at)];
            const auto code = static_cast<Code>((entry & 0xFFFFFFFF) - 1);
            if (entry >> 32 == hash >> 32 && has_name(code)) return code;
        }
        slots_[static_cast<Index>(at)] = (hash & ~std::uint64_t{0xFFFFFFFF}) | static_cast<std::uint64_t>(next + 1);
        return next;
    }

  private:
    Array<std::uint64_t> slots_;
    std::uint64_t mask_ = 0;
};

// Strings concatenated in one buffer of its own.
struct Pool {
    Array<Byte> text;
    Array<Index> starts, lengths;

    Pool(Index n_bytes, Index n_names) : text(n_bytes), starts(n_names), lengths(n_names) {}
    void put(Index i, Index start, Text name) {
        starts[i] = start, lengths[i] = name.size();
        std::copy(name.begin(), name.end(), text.begin() + start);
    }
};

inline Pool pool(const std::vector<Text>& names) {
    Index n_bytes = 0, i = 0, start = 0;
    for (const Text name : names) n_bytes += name.size();
    Pool pool(n_bytes, static_cast<Index>(names.size()));
    for (const Text name : names) {
        pool.put(i++, start, name);
        start += name.size();
    }
    return pool;
}

// Codes of all rows, column after column, and the distinct strings in the order of their codes.
struct Factorized {
    Array<Code> codes;
    Pool distinct;
};

// Codes the distinct strings of several columns by first appearance.
inline Factorized factorize(const std::vector<ByteStrings>& columns, std::uint64_t key) {
    Index n = 0, row = 0;
    for (const ByteStrings& names : columns) n += names.size();
    check_count(n);
    Array<Code> codes(n);
    HashTable table;
    table.reset(n);
    std::vector<Text> distinct;
    const auto has_name = [&](Code code, Text name) {
        return lines::are_equal(name, distinct[static_cast<std::size_t>(code)]);
    };
    for (const ByteStrings& names : columns) {
        const Byte* const text_end = names.text.end();
        for (Index i = 0; i < names.size(); ++i, ++row) {
            const Text name = names[i];
            if (i > 0 && has_name(codes[row - 1], name)) {
                codes[row] = codes[row - 1];  // a query's name is repeated in many rows
                continue;
            }
            const auto next = static_cast<Code>(distinct.size());
            const std::uint64_t hashed = hash(name, text_end, key);
            codes[row] = table.find_or_add(hashed, next, [&](Code known) { return has_name(known, name); });
            if (codes[row] == next) distinct.push_back(name);
        }
    }
    return {std::move(codes), pool(distinct)};
}

// Whether a sorts before b, byte by byte; UTF-8 sorts as its code points do.
inline bool is_below(Text a, Text b) {
    const Index shared = std::min(a.size(), b.size());
    const int difference = shared == 0 ? 0 : std::memcmp(a.data(), b.data(), static_cast<std::size_t>(shared));
    return difference != 0 ? difference < 0 : a.size() < b.size();
}

// Index of a string in an ascending sequence, by binary search; -1 if it is absent.
inline Index find_sorted(const ByteStrings& sorted, Text wanted) {
    Index low = 0, high = sorted.size();
    while (low < high) {
        const Index middle = (low + high) / 2;
        if (is_below(sorted[middle], wanted))
            low = middle + 1;
        else
            high = middle;
    }
    return low < sorted.size() && lines::are_equal(sorted[low], wanted) ? low : -1;
}

}  // namespace directrank::byte_strings

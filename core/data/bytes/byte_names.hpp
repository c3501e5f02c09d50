// Names as bytes of texts: their hashes, and numbering those that are equal.
#pragma once

#include <limits>
#include <stdexcept>
#include <vector>

#include "data/bytes/lines.hpp"

namespace directrank::byte_names {

using lines::Places;
using Number = std::int32_t;

// Checks that items can be counted by numbers.
inline void check_count(Index n) {
    if (n < 0 || n > std::numeric_limits<Number>::max()) throw std::invalid_argument("more names than can be numbered");
}

constexpr std::uint64_t PRIME = (std::uint64_t{1} << 61) - 1;

// The product of two numbers modulo 2^61 - 1, up to one more 2^61 - 1; one is below 2^61, the other below 2^62.
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

// The hash of a name: a polynomial modulo 2^61 - 1 of its length and of its bytes, seven at a time, at a random point, the
// key.
//
// Two names of up to n bytes, whatever they are, have the same hash for at most n / 7 + 2 of the 2^61 keys: who does not
// know the key cannot make names that collide. At the end the bits are mixed, since the lower ones choose the slot of a
// table.
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

// A hash table with open addressing, of numbers of names.
//
// An entry has half of a hash above the name's number plus 1, so that names are compared only with those that have the same
// half.
class Slots {
  public:
    // Room for n names, emptied.
    void reset(Index n) {
        Index size = 2;
        while (size < n + n / 2) size *= 2;
        mask_ = static_cast<std::uint64_t>(size - 1);
        if (size > slots_.size())
            slots_ = Array<std::uint64_t>::zeros(size);
        else
            std::fill_n(slots_.begin(), size, 0);
    }

    // The number of a name, `next` if it is new; `has_name(number)` says whether a number is that of an equal name.
    template <class HasName>
    Number find_or_add(std::uint64_t hash, Number next, const HasName& has_name) {
        std::uint64_t at = hash & mask_;
        for (; slots_[static_cast<Index>(at)] != 0; at = (at + 1) & mask_) {
            const std::uint64_t entry = slots_[static_cast<Index>(at)];
            const auto number = static_cast<Number>((entry & 0xFFFFFFFF) - 1);
            if (entry >> 32 == hash >> 32 && has_name(number)) return number;
        }
        slots_[static_cast<Index>(at)] = (hash & ~std::uint64_t{0xFFFFFFFF}) | static_cast<std::uint64_t>(next + 1);
        return next;
    }

  private:
    Array<std::uint64_t> slots_;
    std::uint64_t mask_ = 0;
};

// Names one after the other, without anything between them.
struct Pool {
    Array<Byte> text;
    Array<Index> starts, lengths;

    Pool(Index n_bytes, Index n_names) : text(n_bytes), starts(n_names), lengths(n_names) {}
    void put(Index number, Index start, Text name) {
        starts[number] = start, lengths[number] = name.size();
        std::copy(name.begin(), name.end(), text.begin() + start);
    }
};

inline Pool pool(const std::vector<Text>& names) {
    Index n_bytes = 0, number = 0, start = 0;
    for (const Text name : names) n_bytes += name.size();
    Pool pool(n_bytes, static_cast<Index>(names.size()));
    for (const Text name : names) {
        pool.put(number++, start, name);
        start += name.size();
    }
    return pool;
}

// The distinct names of some columns, numbered by first appearance: the number of each row, column after column, and the
// names.
struct Numbered {
    Array<Number> numbers;
    Pool distinct;
};

inline Numbered number(const std::vector<Places>& columns, std::uint64_t key) {
    Index n = 0, row = 0;
    for (const Places& names : columns) n += names.size();
    check_count(n);
    Array<Number> numbers(n);
    Slots slots;
    slots.reset(n);
    std::vector<Text> distinct;
    const auto has_name = [&](Number number, Text name) {
        return lines::are_equal(name, distinct[static_cast<std::size_t>(number)]);
    };
    for (const Places& names : columns) {
        const Byte* const text_end = names.text.end();
        for (Index i = 0; i < names.size(); ++i, ++row) {
            const Text name = names[i];
            if (i > 0 && has_name(numbers[row - 1], name)) {
                numbers[row] = numbers[row - 1];  // a query's name is repeated in many rows
                continue;
            }
            const auto next = static_cast<Number>(distinct.size());
            const std::uint64_t code = hash(name, text_end, key);
            numbers[row] = slots.find_or_add(code, next, [&](Number known) { return has_name(known, name); });
            if (numbers[row] == next) distinct.push_back(name);
        }
    }
    return {std::move(numbers), pool(distinct)};
}

}  // namespace directrank::byte_names

// Text in a byte buffer: words, lines, pieces of whole lines, and strings as slices of it.
#pragma once

#include <algorithm>
#include <cstring>

#include "data/parsing/ascii.hpp"
#include "thread_pool.hpp"

namespace directrank::lines {

// First position of a character from `at` on, or `stop`.
inline Index find(Text text, Index at, Index stop, Byte character) {
    if (at >= stop) return stop;
    const void* const found = std::memchr(text.data() + at, character, static_cast<std::size_t>(stop - at));
    return found == nullptr ? stop : static_cast<const Byte*>(found) - text.data();
}

// End of the line that contains `at`: a newline or `stop`.
inline Index line_end(Text text, Index at, Index stop) { return find(text, at, stop, ascii::NEWLINE); }

// Start of the next word of the line, or end of the line.
inline Index skip_blanks(Text text, Index at, Index stop) {
    while (at < stop && ascii::is_blank(text[at]) && text[at] != ascii::NEWLINE) ++at;
    return at;
}

// First position from `at` on of a character up to SPACE, or `stop`.
//
// It reads sixteen bytes at once, which contain nearly every word, so that branches do not depend on the word's length.
inline Index find_blank(Text text, Index at, Index stop) {
    for (; stop - at >= 16; at += 16) {
        const std::uint64_t first = ascii::mark_blanks(ascii::load(text.data() + at));
        const std::uint64_t second = ascii::mark_blanks(ascii::load(text.data() + at + 8));
        if ((first | second) != 0) return at + (first != 0 ? 0 : 8) + ascii::first_byte(first != 0 ? first : second);
    }
    while (at < stop && text[at] > ascii::SPACE) ++at;
    return at;
}

// End of the word at `at`: whitespace or `stop`.
inline Index word_end(Text text, Index at, Index stop) {
    at = find_blank(text, at, stop);
    // Control characters are part of a word.
    while (at < stop && !ascii::is_blank(text[at])) at = find_blank(text, at + 1, stop);
    return at;
}

// Bounds of pieces of whole lines of about `size` bytes. They depend on the text alone.
inline Array<Index> pieces(Text text, Index size) {
    const Index n = std::max<Index>(text.size() / std::max<Index>(size, 1), 1);
    Array<Index> bounds(n + 1);
    bounds[0] = 0, bounds[n] = text.size();
    for (Index i = 1; i < n; ++i) {
        const Index at = std::max(i * (text.size() / n), bounds[i - 1]);
        const bool starts_line = at == 0 || text[at - 1] == ascii::NEWLINE;
        bounds[i] = starts_line ? at : std::min(line_end(text, at, text.size()) + 1, text.size());
    }
    return bounds;
}

// Count of a character in [start, end).
Index count(const Byte* start, const Byte* end, Byte character);
// Whether all bytes in [start, end) are ASCII.
bool is_ascii(const Byte* start, const Byte* end);

// Strings as slices of a text.
struct ByteStrings {
    Text text;
    Span<const Index> starts, lengths;

    Index size() const { return starts.size(); }
    // Bounds are checked on access.
    Text operator[](Index i) const {
        const Index start = starts[i], length = lengths[i];
        if (start < 0 || length < 0 || length > text.size() - start)
            throw std::invalid_argument("a string outside of the text");
        return {text.data() + start, length};
    }
};

// Whether two strings are equal. Most are short: two overlapping loads each compare up to sixteen bytes.
inline bool are_equal(Text a, Text b) {
    const Index n = a.size();
    if (n != b.size()) return false;
    if (n > 16) return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(n)) == 0;
    const auto differ = [&](auto zero, Index at) {
        auto first = zero, second = zero;
        std::memcpy(&first, a.data() + at, sizeof zero), std::memcpy(&second, b.data() + at, sizeof zero);
        return first ^ second;
    };
    if (n >= 8) return (differ(std::uint64_t{0}, 0) | differ(std::uint64_t{0}, n - 8)) == 0;
    if (n >= 4) return (differ(std::uint32_t{0}, 0) | differ(std::uint32_t{0}, n - 4)) == 0;
    Byte found = 0;
    for (Index i = 0; i < n; ++i) found = static_cast<Byte>(found | (a[i] ^ b[i]));
    return found == 0;
}

// Whether each string differs from the previous one.
inline Array<bool> differ_from_previous(const ByteStrings& words) {
    Array<bool> differ(words.size(), true);
    for (Index i = 1; i < words.size(); ++i) differ[i] = !are_equal(words[i], words[i - 1]);
    return differ;
}

// A table with a string in each row, padded with zeros.
inline Table<Byte> cut(const ByteStrings& words) {
    Index width = 1;
    for (Index i = 0; i < words.size(); ++i) width = std::max(width, words[i].size());
    auto table = Table<Byte>::zeros(words.size(), width);
    for (Index i = 0; i < words.size(); ++i) std::copy(words[i].begin(), words[i].end(), table[i].begin());
    return table;
}

}  // namespace directrank::lines

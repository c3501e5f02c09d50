// Writing LETOR text without loss.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "data/parsing/byte_strings.hpp"
#include "data/parsing/decimal.hpp"
#include "data/formats/letor/reader.hpp"

namespace directrank::letor_writer {

using byte_strings::ByteStrings;
using byte_strings::Pool;

// A growing sequence of texts.
class Texts {
  public:
    void add(const std::string& text) { text_ += text, ends_.push_back(static_cast<Index>(text_.size())); }
    Pool pool() const {
        Pool pool(static_cast<Index>(text_.size()), static_cast<Index>(ends_.size()));
        std::copy(text_.begin(), text_.end(), pool.text.begin());
        for (std::size_t i = 0; i < ends_.size(); ++i) {
            const Index start = i == 0 ? 0 : ends_[i - 1];
            pool.starts[static_cast<Index>(i)] = start, pool.lengths[static_cast<Index>(i)] = ends_[i] - start;
        }
        return pool;
    }

  private:
    std::string text_;
    std::vector<Index> ends_;
};

// Writes a grade, without a point if it is an integer.
inline std::string grade_text(double grade) {
    char text[400];  // the largest double has 309 digits
    if (!std::isfinite(grade) || grade != std::floor(grade)) return {text, decimal::write(grade, text)};
    if (std::abs(grade) < 1e18) return {text, decimal::write_integer(static_cast<Index>(grade), text)};
    return {text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%.0f", grade))};
}

// Grade and query of each row, or the query alone where the grade is NaN; `write_query(row, text)` appends a blank and the
// query.
template <class WriteQuery>
Pool heads(Span<const double> y, const WriteQuery& write_query) {
    Texts heads;
    std::string text;
    for (Index row = 0; row < y.size(); ++row) {
        const bool has_grade = !std::isnan(y[row]);
        text = has_grade ? grade_text(y[row]) : "";
        write_query(row, text);
        heads.add(has_grade ? text : text.substr(std::min<std::size_t>(1, text.size())));
    }
    return heads.pool();
}

inline std::string string_of(Text text) { return {text.begin(), text.end()}; }

inline bool is_word(Text name) {
    return std::all_of(name.begin(), name.end(), [](Byte c) { return c > ascii::SPACE; });
}

// Whether a reader recovers a document's name from a comment that consists of it.
inline bool is_found(Text name, bool whole) {
    const std::string comment = "# " + string_of(name);
    const Text text(reinterpret_cast<const Byte*>(comment.data()), static_cast<Index>(comment.size()));
    const letor_reader::Position found = letor_reader::document_name(text, 1, text.size(), whole);
    return lines::are_equal(text.slice(found.start, found.start + found.length), name);
}

// Whether a reader would cut one of the names that contain whitespace.
inline bool are_cut(const ByteStrings& names) {
    for (Index row = 0; row < names.size(); ++row)
        if (!is_word(names[row]) && !is_found(names[row], false)) return true;
    return false;
}

// Comment of each row, and the first row whose document name cannot be written, or -1.
struct Comments {
    Pool texts;
    Index wrong;
};

inline Comments comments(const ByteStrings& names, bool whole) {
    Texts texts;
    for (Index row = 0; row < names.size(); ++row) {
        const Text name = names[row];
        const bool is_word_alone = !whole && is_word(name);
        if (!is_word_alone && (std::find(name.begin(), name.end(), ascii::NEWLINE) != name.end() || !is_found(name, whole)))
            return {texts.pool(), row};
        texts.add(name.empty() ? "" : (is_word_alone ? " #docid = " : " # ") + string_of(name));
    }
    return {texts.pool(), -1};
}

// Dense features of some rows.
template <class Float>
struct DenseRows {
    Grid<const Float> table;
    Index size(Index) const { return table.columns(); }
    Index index(Index, Index i) const { return i; }
    Float value(Index row, Index i) const { return table[row][i]; }
};

// CSR features of some rows.
template <class Float, class Column>
struct SparseRows {
    Span<const Float> values;
    Span<const Column> indices;
    Span<const Index> starts;
    Index size(Index row) const { return starts[row + 1] - starts[row]; }
    Index index(Index row, Index i) const { return indices[starts[row] + i]; }
    Float value(Index row, Index i) const { return values[starts[row] + i]; }
};

inline char* write_text(Text text, char* at) { return std::copy(text.begin(), text.end(), at); }

// Lines of some rows, in parts: head, ` index:value` of each entry, or a blank without entries, and tail.
template <class Rows>
std::vector<Array<Byte>> write(const ByteStrings& heads, const Rows& rows, const ByteStrings& tails) {
    constexpr Index PART = 64;  // rows
    constexpr Index MAX_ENTRY_SIZE = decimal::MAX_FLOAT_SIZE + decimal::MAX_INTEGER_SIZE + 2;
    std::vector<Array<Byte>> parts(static_cast<std::size_t>((heads.size() + PART - 1) / PART));
    for_each_block(heads.size(), PART, [&](Index start, Index end) {
        Index size = 0;
        for (Index row = start; row < end; ++row)
            size += heads[row].size() + tails[row].size() + MAX_ENTRY_SIZE * rows.size(row) + 2;
        Array<Byte> part(size + decimal::ROOM);
        char* const first = reinterpret_cast<char*>(part.data());
        char* at = first;
        for (Index row = start; row < end; ++row) {
            at = write_text(heads[row], at);
            for (Index i = 0; i < rows.size(row); ++i) {
                *at++ = ' ';
                at = decimal::write_integer(rows.index(row, i) + 1, at);
                *at++ = ':';
                at = decimal::write(rows.value(row, i), at);
            }
            if (rows.size(row) == 0) *at++ = ' ';
            at = write_text(tails[row], at);
            *at++ = '\n';
        }
        part.shrink(at - first);
        parts[static_cast<std::size_t>(start / PART)] = std::move(part);
    });
    return parts;
}

}  // namespace directrank::letor_writer

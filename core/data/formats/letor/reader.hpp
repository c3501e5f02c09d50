// LETOR text: `grade qid:query index:value ... # document`.
//
// It is read in parallel, by pieces of whole lines. A first pass counts rows, entries and the highest feature index, to
// allocate the arrays that a second pass fills.
#pragma once

#include <algorithm>
#include <vector>

#include "data/parsing/decimal.hpp"
#include "data/parsing/lines.hpp"

namespace directrank::letor_reader {

constexpr Index HIGHEST_INDEX = (Index{1} << 31) - 1;

// Errors of a line.
enum Error : Index {
    NOTHING,
    BAD_GRADE,
    GRADE_RANGE,
    EMPTY_QID,
    NOT_A_PAIR,
    BAD_INDEX,
    INDEX_ORDER,
    BAD_VALUE,
    BEYOND_WIDTH,
};

inline bool is_hash_or_blank(Byte c) { return c == ascii::HASH || ascii::is_blank(c); }

// End of the token at `at`: whitespace, a # or `stop`.
inline Index token_end(Text text, Index at, Index stop) {
    while (at < stop && !is_hash_or_blank(text[at])) ++at;
    return at;
}

// Whether there is data at `at`, neither a comment nor the end of the line.
inline bool is_at_data(Text text, Index at, Index stop) {
    return at < stop && text[at] != ascii::NEWLINE && text[at] != ascii::HASH;
}

inline bool starts_with(Text text, Index at, Index stop, const char* word) {
    for (; *word != 0; ++word, ++at)
        if (at >= stop || text[at] != static_cast<Byte>(*word)) return false;
    return true;
}

constexpr Index QID_LENGTH = 4;
inline bool is_at_qid(Text text, Index at, Index stop) { return starts_with(text, at, stop, "qid:"); }

inline bool is_integer(Text word) { return !word.empty() && std::all_of(word.begin(), word.end(), ascii::is_digit); }

// Position of a name.
struct Position {
    Index start = 0, length = 0;
};

// Document name in the comment [at, end): all of it if `whole`, else by the rules of `read_letor`.
inline Position document_name(Text text, Index at, Index end, bool whole) {
    while (end > at && ascii::is_blank(text[end - 1])) --end;
    at = lines::skip_blanks(text, at, end);
    if (whole) return {at, end - at};
    if (starts_with(text, at, end, "docid")) {
        const Index equals = lines::skip_blanks(text, at + 5, end);
        if (equals < end && text[equals] == '=') {
            at = lines::skip_blanks(text, equals + 1, end);
            return {at, lines::word_end(text, at, end) - at};
        }
    }
    const Index after = lines::word_end(text, at, end);
    const bool is_word = after < end && (text[after] == ascii::TAB || is_integer(text.slice(at, after)));
    return {at, (is_word ? after : end) - at};
}

// Length of a document name without the rule for integers: of the whole comment, if that rule cut it.
inline Index uncut_length(const lines::ByteStrings& names, Index row) {
    const Text text = names.text, name = names[row];
    const Index start = names.starts[row], after = start + name.size();
    if (after >= text.size() || text[after] != ascii::SPACE || !is_integer(name)) return name.size();
    Index before = start - 1;
    while (before >= 0 && ascii::is_blank(text[before])) --before;
    if (before < 0 || text[before] != ascii::HASH) return name.size();  // the word after docid =
    Index end = lines::line_end(text, after, text.size());
    while (ascii::is_blank(text[end - 1])) --end;
    return end - start;
}

// Number of rows and entries and highest index of a piece.
struct Counts {
    Index rows = 0, entries = 0, highest = 0;
};

// Index before the last colon; 0 without a colon, or for an index that the second pass rejects.
inline Index last_index(Text text, Index start, Index end) {
    while (end > start && text[end - 1] != ascii::COLON) --end;
    if (end == start) return 0;
    Index first = end - 1;
    while (first > start && ascii::is_digit(text[first - 1])) --first;
    Index index;
    decimal::read_integer(text.data() + first, text.data() + end, HIGHEST_INDEX + 1, index);
    return index <= HIGHEST_INDEX ? index : 0;
}

// Counts rows and entries of a piece, assuming well-formed lines.
inline Counts count_piece(Text text, Index at, Index stop) {
    Counts counts;
    while (at < stop) {
        const Index end = lines::line_end(text, at, stop);
        at = lines::skip_blanks(text, at, end);
        if (is_at_data(text, at, end)) {
            if (!is_at_qid(text, at, end)) at = lines::skip_blanks(text, token_end(text, at, end), end);
            if (is_at_qid(text, at, end)) at = token_end(text, at, end);
            const Index features_end = lines::find(text, at, end, ascii::HASH);
            ++counts.rows;
            counts.entries += lines::count(text.data() + at, text.data() + features_end, ascii::COLON);
            counts.highest = std::max(counts.highest, last_index(text, at, features_end));
        }
        at = end + 1;
    }
    return counts;
}

// Grade, query and document of each row.
struct Heads {
    // NaN for a line without a grade, which starts with its query.
    Array<double> y;
    // Query ids that are integers in canonical form, and whether they are.
    Array<Index> qid;
    Array<bool> qid_is_integer;
    // Position of the query id; with length 0, at the start of the line, if the line has none.
    Array<Index> qid_start, qid_length;
    Array<Index> docno_start, docno_length;

    explicit Heads(Index n)
        : y(n), qid(Array<Index>::zeros(n)), qid_is_integer(Array<bool>::zeros(n)), qid_start(n),
          qid_length(Array<Index>::zeros(n)), docno_start(Array<Index>::zeros(n)), docno_length(Array<Index>::zeros(n)) {}
};

// Dense features of the rows of a piece.
template <class Float>
class DenseRows {
  public:
    explicit DenseRows(Grid<Float> table) : table_(table) {}
    void start_row(Index row) { values_ = table_[row]; }
    // An index beyond the width is on a line with unsorted indices: the first pass saw only the last one.
    void put(Index index, double value) {
        if (index <= values_.size()) values_[index - 1] = static_cast<Float>(value);
    }
    void end_row(Index) {}

  private:
    Grid<Float> table_;
    Span<Float> values_;
};

// CSR features of the rows of a piece: entries, and the end of each row.
template <class Float>
struct SparseRows {
    Span<Float> values;
    Span<std::int32_t> indices;
    Span<Index> ends;
    Index entry, end;

    void start_row(Index) {}
    void put(Index index, double value) {
        if (entry == end) throw std::invalid_argument("counts that do not fit the text");
        values[entry] = static_cast<Float>(value);
        indices[entry++] = static_cast<std::int32_t>(index - 1);
    }
    void end_row(Index row) { ends[row] = entry; }
};

// Records the position of the query id, and its value if it is an integer in canonical form.
inline void set_qid(Text text, Index at, Index end, Index row, Heads& heads) {
    heads.qid_start[row] = at, heads.qid_length[row] = end - at;
    const bool negative = text[at] == '-';
    const Text digits = text.slice(at + negative, end);
    if (!is_integer(digits) || digits.size() > 18 || (digits[0] == '0' && (digits.size() > 1 || negative))) return;
    Index number;
    decimal::read_integer(digits.begin(), digits.end(), std::numeric_limits<Index>::max(), number);
    heads.qid[row] = negative ? -number : number;
    heads.qid_is_integer[row] = true;
}

// Reads the grade, and advances `at` to the token after it, or leaves it at the fault.
inline Error read_grade(Text text, Index& at, Index stop, double& grade) {
    const Byte* const end = decimal::read(text.data() + at, text.data() + stop, grade);
    const Index after = end - text.data();
    if (after == at || (after < stop && !is_hash_or_blank(text[after]))) return BAD_GRADE;
    if (!(grade >= 0 && grade <= std::numeric_limits<double>::max())) return GRADE_RANGE;
    at = lines::skip_blanks(text, after, stop);
    return NOTHING;
}

// Reads grade and query, and advances `at` to the first feature, or leaves it at the fault.
inline Error read_head(Text text, Index& at, Index stop, Index row, Heads& heads) {
    heads.qid_start[row] = at;
    heads.y[row] = std::numeric_limits<double>::quiet_NaN();
    if (!is_at_qid(text, at, stop))
        if (const Error error = read_grade(text, at, stop, heads.y[row])) return error;
    if (is_at_qid(text, at, stop)) {
        const Index after = token_end(text, at, stop);
        if (after == at + QID_LENGTH) return EMPTY_QID;
        set_qid(text, at + QID_LENGTH, after, row, heads);
        at = lines::skip_blanks(text, after, stop);
    }
    return NOTHING;
}

// Fault of an index that is not above the previous one, or exceeds the width.
inline Error index_error(Index index, Index before) {
    if (index < 1 || index > HIGHEST_INDEX) return BAD_INDEX;
    return index <= before ? INDEX_ORDER : BEYOND_WIDTH;
}

// Reads `index:value ...`, and advances `at` to the comment or the end of the line, or leaves it at the fault.
//
// Nearly all time is spent here.
template <class Rows>
Error read_features(Text text, Index& at, Index stop, Index width, Rows& rows) {
    const Byte *i = text.data() + at, *const last = text.data() + stop;
    for (Index before = 0; i != last && *i != ascii::NEWLINE && *i != ascii::HASH;) {
        at = i - text.data();
        Index index;
        i = decimal::read_integer(i, last, HIGHEST_INDEX + 1, index);
        if (i == last || *i != ascii::COLON)
            return i - text.data() == token_end(text, at, stop) ? NOT_A_PAIR : BAD_INDEX;
        if (index <= before || index > width) return index_error(index, before);
        ++i;
        double value = -1;
        if (last - i > 8 && ascii::is_blank(i[8])) value = decimal::read_six_decimals(ascii::load(i));
        if (value >= 0) {
            i += 8;
        } else {
            const Byte* const end = decimal::read(i, last, value);
            if (end == i || (end != last && !is_hash_or_blank(*end)) || std::isinf(value)) return BAD_VALUE;
            i = end;
        }
        rows.put(index, value);
        before = index;
        while (i != last && ascii::is_blank(*i) && *i != ascii::NEWLINE) ++i;
    }
    at = i - text.data();
    return NOTHING;
}

// An error, and its position.
struct Fault {
    Error error = NOTHING;
    Index at = 0;
};

// Reads a piece up to its first malformed line, into rows [row, end_row).
template <class Rows>
Fault read_piece(Text text, Index at, Index stop, Index row, Index end_row, Index width, bool whole, Heads& heads,
                 Rows rows) {
    while (at < stop) {
        at = lines::skip_blanks(text, at, stop);
        if (is_at_data(text, at, stop)) {
            if (row == end_row) throw std::invalid_argument("counts that do not fit the text");
            Error error = read_head(text, at, stop, row, heads);
            rows.start_row(row);
            if (error == NOTHING) error = read_features(text, at, stop, width, rows);
            if (error != NOTHING) return {error, at};
            rows.end_row(row);
            if (at < stop && text[at] == ascii::HASH) {
                const Position name = document_name(text, at + 1, lines::line_end(text, at, stop), whole);
                heads.docno_start[row] = name.start, heads.docno_length[row] = name.length;
            }
            ++row;
        }
        at = lines::line_end(text, at, stop) + 1;
    }
    return {};
}

// Start of each piece's items among the items of all pieces, and their total number.
inline Array<Index> starts(Span<const Index> counts) {
    Array<Index> starts(counts.size() + 1);
    starts[0] = 0;
    for (Index i = 0; i < counts.size(); ++i) starts[i + 1] = starts[i] + counts[i];
    return starts;
}

// Reads all pieces into the feature rows that `rows_of(piece)` returns; returns the first fault.
template <class RowsOf>
Fault read(Text text, Span<const Index> bounds, Span<const Index> first_row, Index width, bool whole, Heads& heads,
           const RowsOf& rows_of) {
    const Index n = bounds.size() - 1;
    std::vector<Fault> faults(static_cast<std::size_t>(n));
    parallel(n, [&](Index piece) {
        faults[static_cast<std::size_t>(piece)] = read_piece(text, bounds[piece], bounds[piece + 1], first_row[piece],
                                                             first_row[piece + 1], width, whole, heads, rows_of(piece));
    });
    const auto wrong = std::find_if(faults.begin(), faults.end(), [](const Fault& fault) { return fault.error != NOTHING; });
    return wrong == faults.end() ? Fault{} : *wrong;
}

}  // namespace directrank::letor_reader

// Text files with a fixed number of whitespace-separated columns.
#pragma once

#include <limits>

#include "data/parsing/decimal.hpp"
#include "data/parsing/lines.hpp"

namespace directrank::text_table {

// Columns of each nonblank line: starts, lengths and number.
struct Columns {
    Table<Index> starts, lengths;
    Array<std::int32_t> counts;
    Index n_rows = 0;
    bool is_ascii = true;
};

// Splits the line at `at`, and writes the columns to keep as a row; returns the number of columns, and advances `at` to the
// next line.
inline Index split_line(Text text, Index& at, Index stop, Span<const bool> keep, Columns& columns, Index row) {
    for (Index n = 0;; ++n) {
        at = lines::skip_blanks(text, at, stop);
        if (at == stop || text[at] == ascii::NEWLINE) {
            ++at;
            return n;
        }
        const Index start = at;
        at = lines::word_end(text, at, stop);
        if (n < keep.size() && keep[n]) columns.starts(n, row) = start, columns.lengths(n, row) = at - start;
    }
}

// Splits the lines of a piece into rows from `row` on; returns the number of nonblank lines.
inline Index split_piece(Text text, Index at, Index stop, Span<const bool> keep, Columns& columns, Index row) {
    constexpr Index MAX_COUNT = std::numeric_limits<std::int32_t>::max();
    const Index first_row = row;
    while (at < stop) {
        const Index n = split_line(text, at, stop, keep, columns, row);
        if (n > 0) columns.counts[row++] = static_cast<std::int32_t>(std::min(n, MAX_COUNT));
    }
    return row - first_row;
}

// Splits each line into columns. Columns not to be kept are counted, and their positions are known in the first row only:
// memory that is never written to is never committed.
inline Columns split(Text text, Span<const bool> keep, Index piece_size) {
    const auto bounds = lines::pieces(text, piece_size);
    const Index n_pieces = bounds.size() - 1;
    Array<Index> first_row(n_pieces + 1), n_rows(n_pieces);
    Array<bool> is_ascii(n_pieces);
    parallel(n_pieces, [&](Index piece) {
        const Byte *const start = text.data() + bounds[piece], *const end = text.data() + bounds[piece + 1];
        first_row[piece + 1] = lines::count(start, end, ascii::NEWLINE);
        is_ascii[piece] = lines::is_ascii(start, end);
    });
    // A row for each newline and for the text after the last one.
    first_row[0] = 0;
    for (Index piece = 0; piece < n_pieces; ++piece) first_row[piece + 1] += first_row[piece];
    const Index n_lines = first_row[n_pieces] + 1;

    Columns columns{Table<Index>(keep.size(), n_lines), Table<Index>(keep.size(), n_lines), Array<std::int32_t>(n_lines)};
    columns.is_ascii = std::all_of(is_ascii.begin(), is_ascii.end(), [](bool is) { return is; });
    parallel(n_pieces, [&](Index piece) {
        n_rows[piece] = split_piece(text, bounds[piece], bounds[piece + 1], keep, columns, first_row[piece]);
    });
    for (Index piece = 0; piece < n_pieces; ++piece) {  // close the gaps of blank lines
        const Index from = first_row[piece], end = from + n_rows[piece], to = columns.n_rows;
        columns.n_rows += n_rows[piece];
        if (from == to) continue;
        std::copy(columns.counts.begin() + from, columns.counts.begin() + end, columns.counts.begin() + to);
        for (Index column = 0; column < keep.size(); ++column) {
            if (!keep[column]) continue;
            for (const auto& values : {columns.starts[column], columns.lengths[column]})
                std::copy(values.begin() + from, values.begin() + end, values.begin() + to);
        }
    }
    const Array<bool> keep_all(keep.size(), true);
    for (Index at = 0; at < text.size() && split_line(text, at, text.size(), keep_all, columns, 0) == 0;) {
    }
    return columns;
}

// Values of numbers, and the index of the first that is not a finite number, or -1.
struct Numbers {
    Array<double> values;
    Index wrong;
};

inline Numbers numbers(const lines::ByteStrings& words) {
    constexpr Index BLOCK = 8192;
    const Index n = words.size(), n_blocks = (n + BLOCK - 1) / BLOCK;
    Numbers read{Array<double>(n), -1};
    Array<Index> wrong(n_blocks, -1);
    for_each_block(n, BLOCK, [&](Index start, Index end) {
        for (Index i = start; i < end; ++i) {
            const Text word = words[i];
            double value = 0;
            const bool is_number = decimal::read(word.begin(), word.end(), value) == word.end() && !word.empty();
            read.values[i] = value;
            if ((!is_number || !std::isfinite(value)) && wrong[start / BLOCK] < 0) wrong[start / BLOCK] = i;
        }
    });
    for (const Index i : wrong)
        if (i >= 0 && read.wrong < 0) read.wrong = i;
    return read;
}

}  // namespace directrank::text_table

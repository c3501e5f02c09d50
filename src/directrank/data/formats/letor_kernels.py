"""Parsing LETOR text: kernels that read the lines of each piece of a file, in parallel.

A first pass counts rows, entries and the highest feature index, so that arrays of the right size can be allocated; a second
pass fills them. Numbers that `parse_number` cannot decide are recorded as (target, row, position), where the target is a
column of the dense features, an entry of the CSR values, or GRADE.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Bools, Floats, Ints
from ...kernel_compiler import njit, prange
from ..bytes.ascii import COLON, EQUALS, HASH, MINUS, NEWLINE, NINE, SPACE, TAB, ZERO
from ..bytes.lines import line_end, skip_blanks
from ..bytes.numbers import MALFORMED, READ, UNDECIDED, parse_integer, parse_number, parse_six_decimals, token_end

HIGHEST_INDEX = 2**31 - 1

#: The target of an undecided number that is a grade.
GRADE = -1

#: What may be wrong with a line; 0 is nothing.
BAD_GRADE, GRADE_RANGE, EMPTY_QID, NOT_A_PAIR, BAD_INDEX, INDEX_ORDER, BAD_VALUE, BEYOND_WIDTH = range(1, 9)

_QID, _DOCID = b"qid:", b"docid"
_U1 = np.uint64(1)


class Counts(NamedTuple):
    """What each piece of the file holds."""

    rows: Ints
    entries: Ints
    highest: Ints


class Pieces(NamedTuple):
    """The pieces of a file: their bounds, and where the rows, entries and undecided numbers of each are stored."""

    bounds: Ints
    first_row: Ints
    first_entry: Ints
    first_undecided: Ints


class Rows(NamedTuple):
    """What is read, row by row. Either `dense` or the CSR arrays (`values`, `indices`, `ends`) are empty."""

    y: Floats
    qid: Ints
    qid_is_integer: Bools
    qid_start: Ints
    qid_length: Ints
    docno_start: Ints
    docno_length: Ints
    dense: NDArray[Any]
    values: NDArray[Any]
    indices: NDArray[np.int32]
    ends: Ints


@njit(cache=True, parallel=True)
def count_pieces(text, bounds, counts):  # type: ignore[no-untyped-def]
    for piece in prange(bounds.size - 1):
        _count_piece(text, bounds[piece], bounds[piece + 1], piece, counts)


@njit(cache=True, parallel=True)
def fill_pieces(text, words, pieces, width, whole, rows, undecided, errors, n_undecided):  # type: ignore[no-untyped-def]
    """Read all pieces into `rows`: the error of each and its position, and how many numbers were undecided."""
    for piece in prange(pieces.bounds.size - 1):
        error, at, n = _fill_piece(text, words, pieces, piece, width, whole, rows, undecided)
        errors[piece, 0], errors[piece, 1], n_undecided[piece] = error, at, n


@njit(cache=True)
def document_name(text, at, end, whole):  # type: ignore[no-untyped-def]
    """Start and length of the document's name in a comment: all of it if `whole`, else by the rules of `read_letor`."""
    while end > at and text[end - 1] <= SPACE:
        end -= 1
    at = skip_blanks(text, at, end)
    if whole:
        return at, end - at
    if _starts_with(text, at, end, _DOCID):
        equals = skip_blanks(text, at + len(_DOCID), end)
        if equals < end and text[equals] == EQUALS:
            at = skip_blanks(text, equals + 1, end)
            return at, _word_end(text, at, end) - at
    after = _word_end(text, at, end)
    if after < end and (text[after] == TAB or _is_integer(text, at, after)):
        return at, after - at
    return at, end - at


@njit(cache=True)
def uncut_length(text, start, length):  # type: ignore[no-untyped-def]
    """The length of a document's name without the rule that an integer is one: the whole comment, if that rule cut it."""
    after = start + length
    if after >= text.size or text[after] != SPACE or not _is_integer(text, start, after):
        return length
    before = start - 1
    while text[before] <= SPACE:
        before -= 1
    if text[before] != HASH:  # it is the word after docid =
        return length
    end = line_end(text, after, text.size)
    while text[end - 1] <= SPACE:
        end -= 1
    return end - start


@njit(cache=True)
def uncut_lengths(text, starts, lengths):  # type: ignore[no-untyped-def]
    """`uncut_length` of each row."""
    uncut = lengths.copy()
    for row in range(lengths.size):
        uncut[row] = uncut_length(text, starts[row], lengths[row])
    return uncut


@njit(cache=True)
def _word_end(text, at, end):  # type: ignore[no-untyped-def]
    while at < end and text[at] > SPACE:
        at += 1
    return at


@njit(cache=True)
def _is_integer(text, at, end):  # type: ignore[no-untyped-def]
    digits = end > at
    for i in range(at, end):
        digits = digits and ZERO <= text[i] <= NINE
    return digits


@njit(cache=True)
def _starts_with(text, at, end, word):  # type: ignore[no-untyped-def]
    if end - at < len(word):
        return False
    same = True
    for i in range(len(word)):
        same = same and text[at + i] == word[i]
    return same


@njit(cache=True)
def _at_data(text, at, stop):  # type: ignore[no-untyped-def]
    """Whether there is data at `at`: neither a comment nor the line's end."""
    return at < stop and text[at] != NEWLINE and text[at] != HASH


@njit(cache=True)
def _count_piece(text, at, stop, piece, counts):  # type: ignore[no-untyped-def]
    """Rows, entries and highest index of a piece: a quick look that assumes well-formed lines."""
    n_rows, n_entries, highest = 0, 0, 0
    while at < stop:
        at = skip_blanks(text, at, stop)
        if _at_data(text, at, stop):
            at = skip_blanks(text, token_end(text, at, stop), stop)
            if _starts_with(text, at, stop, _QID):
                at = token_end(text, at, stop)
            end = _features_end(text, at, stop)
            n_rows += 1
            n_entries += np.sum(text[at:end] == COLON)
            highest = max(highest, _last_index(text, at, end))
            at = end
        at = line_end(text, at, stop) + 1
    counts.rows[piece], counts.entries[piece], counts.highest[piece] = n_rows, n_entries, highest


@njit(cache=True)
def _features_end(text, at, stop):  # type: ignore[no-untyped-def]
    """Where a line's features end: at its comment or its end. Looks at 64 bytes at a time, which vectorises."""
    while at + 64 <= stop:
        found = 0
        for byte in text[at : at + 64]:
            found += (byte == NEWLINE) | (byte == HASH)
        if found > 0:
            break
        at += 64
    while at < stop and text[at] != NEWLINE and text[at] != HASH:
        at += 1
    return at


@njit(cache=True)
def _last_index(text, start, end):  # type: ignore[no-untyped-def]
    """The index before the last colon; 0 if there is none, or one that the second pass will refuse."""
    while end > start and text[end - 1] != COLON:
        end -= 1
    if end == start:
        return 0
    first = end - 1
    while first > start and ZERO <= text[first - 1] <= NINE:
        first -= 1
    index, _ = parse_integer(text, first, end, HIGHEST_INDEX + 1)
    return index if index <= HIGHEST_INDEX else 0


@njit(cache=True)
def _fill_piece(text, words, pieces, piece, width, whole, rows, undecided):  # type: ignore[no-untyped-def]
    """Read a piece up to its first malformed line: the error and its position, and how many numbers were undecided."""
    at, stop = pieces.bounds[piece], pieces.bounds[piece + 1]
    row, entry, slot = pieces.first_row[piece], pieces.first_entry[piece], pieces.first_undecided[piece]
    n_undecided = 0
    while at < stop:
        at = skip_blanks(text, at, stop)
        if _at_data(text, at, stop):
            error, at, n = _fill_head(text, at, stop, row, rows, undecided, slot + n_undecided)
            n_undecided += n
            if error == 0:
                error, at, entry, n = _fill_features(
                    text, words, at, stop, row, entry, width, rows, undecided, slot + n_undecided
                )
                n_undecided += n
            if error != 0:
                return error, at, n_undecided
            if at < stop and text[at] == HASH:
                end = line_end(text, at, stop)
                rows.docno_start[row], rows.docno_length[row] = document_name(text, at + 1, end, whole)
            row += 1
        at = line_end(text, at, stop) + 1
    return 0, 0, n_undecided


@njit(cache=True)
def _fill_head(text, at, stop, row, rows, undecided, slot):  # type: ignore[no-untyped-def]
    """Read grade and query: the error, its position or that of the first feature, and how many numbers were undecided."""
    n_undecided = 0
    rows.y[row], outcome, after = parse_number(text, at, stop)
    if outcome == MALFORMED:
        return BAD_GRADE, at, n_undecided
    if not 0 <= rows.y[row] < np.inf or (outcome == UNDECIDED and text[at] == MINUS):
        return GRADE_RANGE, at, n_undecided
    if outcome == UNDECIDED:
        n_undecided += _note_undecided(undecided, slot, GRADE, row, at)
    rows.qid_start[row] = at
    at = skip_blanks(text, after, stop)
    if _starts_with(text, at, stop, _QID):
        first, after = at + len(_QID), token_end(text, at, stop)
        if after == first:
            return EMPTY_QID, at, n_undecided
        _set_qid(text, first, after, row, rows)
        at = skip_blanks(text, after, stop)
    return 0, at, n_undecided


@njit(cache=True)
def _fill_features(text, words, at, stop, row, entry, width, rows, undecided, slot):  # type: ignore[no-untyped-def]
    """Read ``index:value ...``: the error, its position or the line's end, the next entry, how many were undecided."""
    n_undecided, is_dense = 0, rows.ends.size == 0
    values = rows.dense[row] if is_dense else rows.values[entry:]
    at, before, n_read = _fill_plain(text, words, at, stop, width, is_dense, values, rows.indices[entry:])
    entry += n_read
    while at < stop and text[at] != NEWLINE and text[at] != HASH:
        index, colon = parse_integer(text, at, stop, HIGHEST_INDEX + 1)
        if colon == stop or text[colon] != COLON:
            return (NOT_A_PAIR if colon == token_end(text, at, stop) else BAD_INDEX), at, entry, n_undecided
        if index <= before or index > width:
            return _index_error(index, before), at, entry, n_undecided
        value, outcome, after = parse_number(text, colon + 1, stop)
        if outcome == MALFORMED or np.isinf(value):
            return BAD_VALUE, at, entry, n_undecided
        target = index - 1 if is_dense else entry
        if outcome == UNDECIDED:
            n_undecided += _note_undecided(undecided, slot + n_undecided, target, row, colon + 1)
        if is_dense:
            # An index beyond the width is on a line whose indices are not ascending: the first pass saw only its last.
            if target < rows.dense.shape[1]:
                rows.dense[row, target] = value
        else:
            rows.values[entry], rows.indices[entry] = value, index - 1
        entry += 1
        before = index
        at = skip_blanks(text, after, stop)
    if not is_dense:
        rows.ends[row] = entry
    return 0, at, entry, n_undecided


@njit(cache=True)
def _fill_plain(text, words, at, stop, width, is_dense, values, indices):  # type: ignore[no-untyped-def]
    """Read entries up to the first that may be wrong or undecided: where that is, the last index, how many were read.

    This is where nearly all the time goes, so that it is one loop over arrays of their own, with unsigned positions.
    """
    i, last, before, count = np.uint64(at), np.uint64(stop), 0, 0
    while i < last and text[i] != NEWLINE and text[i] != HASH:
        start, index = i, 0
        while i < last and np.uint8(text[i] - np.uint8(ZERO)) <= 9 and i < start + np.uint64(11):
            index = index * 10 + np.int64(text[i]) - ZERO
            i += _U1
        place = index - 1 if is_dense else count
        if i == last or text[i] != COLON or index <= before or index > width or place >= values.size:
            return np.int64(start), before, count
        i += _U1
        value, after = -1.0, i + np.uint64(8)
        if after < last and text[after] <= SPACE:
            value = parse_six_decimals(words[i])
        if value < 0:
            value, outcome, end = parse_number(text, np.int64(i), stop)
            if outcome != READ or np.isinf(value):
                return np.int64(start), before, count
            after = np.uint64(end)
        values[place] = value
        if not is_dense:
            indices[count] = index - 1
        before, i = index, after
        count += 1
        while i < last and text[i] <= SPACE and text[i] != NEWLINE:
            i += _U1
    return np.int64(i), before, count


@njit(cache=True)
def _index_error(index, before):  # type: ignore[no-untyped-def]
    """What is wrong with an index that is not above the one before it, or is beyond the width."""
    if index < 1 or index > HIGHEST_INDEX:
        return BAD_INDEX
    return INDEX_ORDER if index <= before else BEYOND_WIDTH


@njit(cache=True)
def _note_undecided(undecided, slot, target, row, at):  # type: ignore[no-untyped-def]
    """Record a number for `float` to read, if there is room: the first time, such numbers are only counted."""
    if slot < undecided.shape[0]:
        undecided[slot, 0], undecided[slot, 1], undecided[slot, 2] = target, row, at
    return 1


@njit(cache=True)
def _set_qid(text, at, end, row, rows):  # type: ignore[no-untyped-def]
    """Record where the query id is, and its value if it is an integer in canonical form."""
    rows.qid_start[row], rows.qid_length[row] = at, end - at
    first = at + (text[at] == MINUS)
    number = 0
    for i in range(first, end):
        if not ZERO <= text[i] <= NINE:
            return
        number = number * 10 + np.int64(text[i]) - ZERO
        if i - first >= 18:
            return
    is_zero = end == first + 1 and text[first] == ZERO and first == at
    if end > first and (text[first] != ZERO or is_zero):
        rows.qid[row] = number if first == at else -number
        rows.qid_is_integer[row] = True

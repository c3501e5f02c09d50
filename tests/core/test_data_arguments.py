"""Wrong arrays handed to the kernels of `directrank.data` are exceptions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from directrank.core import byte_strings, joined_pairs, letor_reader, letor_writer, lines, ranking_order, text_table

TEXT = np.frombuffer(b"1 qid:1 1:2 # a\n0 qid:1 2:1\n", np.uint8)
ONE, TWO = np.array([0]), np.array([0, 1])
BOUNDS, ROWS, ENTRIES = np.array([0, TEXT.size]), np.array([2]), np.array([2])
NAMES = (TEXT, np.array([0, 2]), np.array([1, 5]))
LARGE = 2**63 - 1

OUTSIDE = [(-1, 2), (0, -1), (0, TEXT.size + 1), (TEXT.size + 1, 0), (TEXT.size, 1), (LARGE, 1), (LARGE, LARGE), (1, LARGE)]
OUTSIDE += [(-LARGE, 0), (0, -LARGE)]


def outside(start: int, length: int) -> tuple[Any, ...]:
    return TEXT, np.array([0, start]), np.array([1, length])


ON_NAMES: dict[str, Callable[[Any], Any]] = {
    "cut": lambda names: lines.cut(*names),
    "differ_from_previous": lambda names: lines.differ_from_previous(*names),
    "numbers": lambda names: text_table.numbers(*names),
    "number": lambda names: byte_strings.factorize([NAMES, names], 7),
    "find_sorted, among": lambda names: byte_strings.find_sorted(names, NAMES),
    "find_sorted": lambda names: byte_strings.find_sorted(NAMES, names),
    "join": lambda names: joined_pairs.join(np.zeros(2, np.int32), [names], np.zeros(2), 1, True, 7),
    "order": lambda names: ranking_order.order(np.zeros(2), names, np.zeros(2, np.int32), 1),
    "uncut_lengths": lambda names: letor_reader.uncut_lengths(*names),
    "heads": lambda names: letor_writer.heads(np.zeros(2), names),
    "are_cut": lambda names: letor_writer.are_cut(names),
    "comments": lambda names: letor_writer.comments(names, False),
    "write_dense, heads": lambda names: letor_writer.write_dense(names, np.zeros((2, 1)), NAMES),
    "write_dense, tails": lambda names: letor_writer.write_dense(NAMES, np.zeros((2, 1)), names),
}


@pytest.mark.parametrize("kernel", ON_NAMES)
def test_names_that_are_not_in_their_text(kernel: str) -> None:
    ON_NAMES[kernel](NAMES)
    for start, length in OUTSIDE:
        with pytest.raises(ValueError, match="a string outside of the text"):
            ON_NAMES[kernel](outside(start, length))
    with pytest.raises(ValueError, match="an array of length 1 where one of length 2 belongs"):
        ON_NAMES[kernel]((TEXT, np.array([0, 2]), np.array([1])))
    for wrong in [
        (TEXT.astype(np.int64), *NAMES[1:]),
        (TEXT, NAMES[1].astype(np.int32), NAMES[2]),
        (TEXT, NAMES[1], [1, 5]),
    ]:
        with pytest.raises(TypeError):
            ON_NAMES[kernel](wrong)


QUERY, ZEROS, TABLE = np.zeros(2, np.int32), np.zeros(2), np.zeros((2, 2))
ENDS, STARTS = np.zeros(2, np.int64), np.array([0, 1, 2])


def dense(bounds=BOUNDS, rows=ROWS, X=TABLE) -> Any:
    return letor_reader.read_dense(TEXT, bounds, rows, 9, False, X)


def csr(rows=ROWS, entries=ENTRIES, values=ZEROS, indices=QUERY, ends=ENDS) -> Any:
    return letor_reader.read_sparse(TEXT, BOUNDS, rows, entries, 9, False, values.copy(), indices.copy(), ends.copy())


def joined(query=QUERY, values=ZEROS, n_queries=1) -> Any:
    return joined_pairs.join(query, [NAMES], values, n_queries, True, 7)


def ordered(scores=ZEROS, query=QUERY, n_queries=1) -> Any:
    return ranking_order.order(scores, NAMES, query, n_queries)


def written(values=ZEROS, indices=QUERY, starts=STARTS) -> Any:
    return letor_writer.write_sparse(NAMES, values, indices, starts, NAMES)


WRONG_VALUES: dict[str, Callable[[], Any]] = {
    "bounds beyond the text": lambda: letor_reader.count(TEXT, np.array([0, TEXT.size + 1])),
    "bounds that descend": lambda: letor_reader.count(TEXT, np.array([0, 9, 4, TEXT.size])),
    "no bounds": lambda: letor_reader.count(TEXT, np.zeros(0, np.int64)),
    "dense, bounds": lambda: dense(bounds=np.array([0, TEXT.size + 1])),
    "dense, too few rows": lambda: dense(rows=np.array([1]), X=np.zeros((1, 2))),
    "dense, rows that differ from the table's": lambda: dense(X=np.zeros((1, 2))),
    "dense, counts of two pieces": lambda: dense(rows=np.array([1, 1])),
    "dense, a negative count": lambda: dense(bounds=np.array([0, 16, TEXT.size]), rows=np.array([3, -1])),
    "dense, a large count": lambda: dense(bounds=np.array([0, 16, TEXT.size]), rows=np.array([LARGE, LARGE])),
    "sparse, too few rows": lambda: csr(rows=np.array([1]), ends=np.zeros(1, np.int64)),
    "sparse, too few entries": lambda: csr(entries=np.array([1]), values=np.zeros(1), indices=np.zeros(1, np.int32)),
    "sparse, values that differ from the entries": lambda: csr(values=np.zeros(3)),
    "sparse, indices that differ from the values": lambda: csr(indices=np.zeros(1, np.int32)),
    "join, a row too many": lambda: joined(query=np.zeros(3, np.int32)),
    "join, a value too few": lambda: joined(values=np.zeros(1)),
    "join, a negative query": lambda: joined(query=np.array([0, -1], np.int32)),
    "join, a negative number of queries": lambda: joined(n_queries=-1),
    "join, too many queries": lambda: joined(n_queries=LARGE),
    "join, no source": lambda: joined_pairs.join(np.zeros(0, np.int32), [], np.zeros(0), 0, True, 7),
    "order, scores too few": lambda: ordered(scores=np.zeros(1)),
    "order, a query beyond their number": lambda: ordered(query=np.array([0, 1], np.int32)),
    "order, a negative query": lambda: ordered(query=np.array([0, -1], np.int32)),
    "order, too many queries": lambda: ordered(n_queries=LARGE),
    "write, starts that descend": lambda: written(starts=np.array([0, 2, 1, 2])),
    "write, starts beyond the entries": lambda: written(starts=np.array([0, 1, 3])),
    "write, no starts": lambda: written(starts=np.zeros(0, np.int64)),
    "write, indices too few": lambda: written(indices=np.zeros(1, np.int32)),
    "write, a negative index": lambda: written(indices=np.array([-1, 0], np.int32)),
    "write, an index beyond all": lambda: written(indices=np.array([0, LARGE])),
    "write, rows that have no head": lambda: letor_writer.write_dense(NAMES, np.zeros((3, 1)), NAMES),
    "heads, grades too few": lambda: letor_writer.heads(np.zeros(1), NAMES),
    "heads, queries too few": lambda: letor_writer.heads(np.zeros(2), np.zeros(1, np.int64)),
}


@pytest.mark.parametrize("what", WRONG_VALUES)
def test_wrong_lengths_and_indices(what: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        WRONG_VALUES[what]()


WRONG_TYPES: dict[str, Callable[[], Any]] = {
    "text of characters": lambda: letor_reader.count("1 1:1\n", BOUNDS),
    "text that is not contiguous": lambda: letor_reader.count(TEXT[::2], np.array([0, TEXT[::2].size])),
    "integers as features": lambda: dense(X=np.zeros((2, 2), np.int64)),
    "features by column": lambda: dense(X=np.zeros((2, 2), order="F")),
    "features that cannot be written to": lambda: dense(X=np.broadcast_to(np.zeros(2), (2, 2))),
    "flags that are integers": lambda: text_table.split(TEXT, np.ones(2, np.int64), 100),
    "scores in single precision": lambda: ordered(scores=np.zeros(2, np.float32)),
    "queries in 64 bits": lambda: ordered(query=np.zeros(2, np.int64)),
    "names without lengths": lambda: byte_strings.factorize([(TEXT, ONE)], 7),
    "a negative key": lambda: byte_strings.factorize([NAMES], -1),
    "values in half precision": lambda: written(values=np.zeros(2, np.float16)),
}


@pytest.mark.parametrize("what", WRONG_TYPES)
def test_wrong_types(what: str) -> None:
    with pytest.raises(TypeError):
        WRONG_TYPES[what]()


@pytest.mark.parametrize("size", [-1, 0, 1, 2**62])
def test_pieces_are_whole_lines(size: int) -> None:
    text = np.frombuffer(b"a\n\nbc\nd" * 9, np.uint8)
    bounds = lines.pieces(text, size)
    assert bounds[0] == 0 and bounds[-1] == text.size and (np.diff(bounds) >= 0).all()
    assert all(text[at - 1] == ord("\n") for at in bounds[1:-1] if at < text.size)


def test_no_text_and_no_names() -> None:
    nothing, none = np.zeros(0, np.uint8), (np.zeros(0, np.uint8), np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert [counts.tolist() for counts in letor_reader.count(nothing, lines.pieces(nothing, 100))] == [[0]] * 3
    assert text_table.split(nothing, np.ones(3, bool), 100)[3:] == (0, True)
    assert text_table.numbers(*none)[1] == -1
    assert byte_strings.factorize([none, none], 7)[0].size == 0
    assert joined_pairs.join(np.zeros(0, np.int32), [none], np.zeros(0), 0, True, 7)[0].tolist() == [0]
    assert ranking_order.order(np.zeros(0), none, np.zeros(0, np.int32), 0).size == 0
    assert letor_writer.write_dense(none, np.zeros((0, 3)), none) == []


def test_scores_that_are_no_numbers_are_ordered_somehow() -> None:
    scores = np.array([np.nan, 1.0, -np.nan, np.inf, -np.inf, np.nan])
    names = (TEXT, np.arange(6), np.ones(6, np.int64))
    assert sorted(ranking_order.order(scores, names, np.zeros(6, np.int32), 1).tolist()) == list(range(6))

"""Unaligned arrays, such as arrays received over a network."""

from __future__ import annotations

import numpy as np
import pytest

from directrank.core import byte_strings, levels, pairwise, searching
from directrank.matrix.linear_operator import MatrixOperator
from directrank.retrieval import TextIndex


def unaligned(values: np.ndarray) -> np.ndarray:
    array = np.frombuffer(b"xyz" + values.tobytes(), values.dtype, offset=3).reshape(values.shape)
    assert not array.flags.aligned
    return array


def test_they_are_read_as_others_are() -> None:
    grades, X, w = np.array([2.0, 0.0, 1.0]), np.arange(6.0).reshape(3, 2), np.array([1.0, 10.0])
    assert levels.number(unaligned(grades), np.array([0, 3]))[0].tolist() == [2, 0, 1]
    assert MatrixOperator(unaligned(X)).matvec(unaligned(w)).tolist() == (X @ w).tolist()


def test_arrays_in_a_list_stay_alive_during_the_call() -> None:
    text, n = np.frombuffer(b"ab" * 2000, np.uint8), 2000
    starts, lengths = np.arange(n), np.ones(n, np.int64)
    columns = [(text, unaligned(starts + offset), unaligned(lengths)) for offset in (0, 1)]
    numbers, _ = byte_strings.factorize(columns, 5)
    assert numbers.tolist() == [0, 1] * (n // 2) + [1, 0] * (n // 2)


class Passing:
    """A sequence whose items are gone as soon as they have been looked at."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, i: int) -> tuple[np.ndarray, ...]:
        if i >= 2:
            raise IndexError
        return np.frombuffer(b"ab" * 2000, np.uint8).copy(), np.arange(2000) + i, np.ones(2000, np.int64)


def test_arrays_that_only_a_sequence_held_are_read_until_the_call_ends() -> None:
    numbers, _ = byte_strings.factorize(Passing(), 5)
    assert numbers.tolist() == [0, 1] * 1000 + [1, 0] * 1000


def test_an_optional_one_is_read_until_the_call_ends() -> None:
    n = 1000
    scores, level = np.linspace(1, 0, n), np.arange(n, dtype=np.int32) % 2
    offsets, group = np.array([0, n]), np.arange(n, dtype=np.int32)
    by_level = pairwise.order_by_level(level, np.array([2]), offsets)
    lower, rest = -scores, (scores, 10_000, 10**9, 10**9, True)
    given = [
        pairwise.lambdas(scores, offsets, by_level, level, group, level.astype(float), scores, each, *rest)
        for each in (lower, unaligned(lower))
    ]
    for aligned_sums, unaligned_sums in zip(*given, strict=True):
        np.testing.assert_array_equal(aligned_sums, unaligned_sums)


def test_postings_keep_them() -> None:
    index = TextIndex.build([("a", "cat dog"), ("b", "cat cat"), ("c", "")], "plain")
    kept = [index.starts, index.documents, np.ones(3, np.float32), *index.common_terms, np.ones(3)]
    postings = searching.Postings(*map(unaligned, kept), 3)
    query = np.array([0]), np.ones(1), np.array([0, 1]), np.ones(1)
    for _ in range(10):
        np.full(3, 7)  # takes the place of a copy that was freed
        best, scores, sizes = postings.search(*query, 2)
        assert (best.tolist(), scores.tolist(), sizes.tolist()) == ([[0, 1]], [[2.0, 2.0]], [2])


def test_they_are_no_way_around_the_checks() -> None:
    with pytest.raises(TypeError, match="incompatible"):
        levels.number(unaligned(np.array([2, 0, 1])), np.array([0, 3]))

"""Arrays that are not aligned, as those that came over a network may be."""

from __future__ import annotations

import numpy as np
import pytest

from directrank.core import levels
from directrank.matrix.rows import Rows


def unaligned(values: np.ndarray) -> np.ndarray:
    array = np.frombuffer(b"xyz" + values.tobytes(), values.dtype, offset=3).reshape(values.shape)
    assert not array.flags.aligned
    return array


def test_they_are_read_as_others_are() -> None:
    grades, X, w = np.array([2.0, 0.0, 1.0]), np.arange(6.0).reshape(3, 2), np.array([1.0, 10.0])
    assert levels.number(unaligned(grades), np.array([0, 3]))[0].tolist() == [2, 0, 1]
    assert Rows(unaligned(X)).scores(unaligned(w)).tolist() == (X @ w).tolist()


def test_they_are_no_way_around_the_checks() -> None:
    with pytest.raises(TypeError, match="incompatible"):
        levels.number(unaligned(np.array([2, 0, 1])), np.array([0, 3]))

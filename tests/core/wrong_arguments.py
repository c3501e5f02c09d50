"""Wrong arguments for kernels, which must reject them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

#: Offsets of three queries of eight documents that are wrong.
WRONG_OFFSETS = [[0, 3, 2, 8], [1, 3, 3, 8], [0, 3, 3, 9], [0, 9, 9, 8], []]


def wrong_arrays(array: np.ndarray, *, any_length: bool = False) -> Iterator[np.ndarray]:
    """Arrays of another type, shape or layout, and of another length."""
    yield array.astype(np.float32)
    yield array[:, None]
    yield np.repeat(array, 2)[::2]
    if not any_length:
        yield array[:-1]


def refuses(kernel: Callable[..., Any], arguments: Sequence[Any], i: int, wrong: Any) -> None:
    """Check that a kernel refuses another value of an argument."""
    with pytest.raises((TypeError, ValueError)):
        kernel(*arguments[:i], wrong, *arguments[i + 1 :])


def refuses_offsets(kernel: Callable[..., Any], arguments: Sequence[Any], offsets: np.ndarray, wrong: list[int]) -> None:
    """Check that a kernel refuses other offsets."""
    given = np.array(wrong, np.int64)
    with pytest.raises(ValueError, match=r"offsets|array of length"):
        kernel(*(given if argument is offsets else argument for argument in arguments))

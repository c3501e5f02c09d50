"""Writing floats with the fewest digits, against Python's `repr` and NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from directrank.core import letor_writer as kernels
from directrank.data.parsing.byte_strings import ByteStrings
from directrank.data.strings import STRING

NOTHING = ByteStrings.from_strings(np.zeros(1, STRING)).arrays


def written(value: np.floating) -> str:
    """The text of a float in a line of LETOR."""
    (part,) = kernels.write_dense(NOTHING, np.array([[value]]), NOTHING)
    text: str = part.tobytes().decode()
    assert text.startswith(" 1:") and text.endswith("\n")
    return text[3:-1]


def single(value: np.float32) -> str:
    """The text of a float32 as NumPy has it from 2.4 on."""
    if value == 0 or not np.isfinite(value) or 1e-4 <= abs(float(value)) < 1e6:
        return np.format_float_positional(value, unique=True, trim="0") if np.isfinite(value) else str(float(value))
    return np.format_float_scientific(value, unique=True, trim="-", exp_digits=2)


@given(st.floats() | st.integers(-(10**9), 10**18).map(lambda n: n / 10**6) | st.integers(0, 10**17).map(float))
@example(0.0)
@example(-0.0)
@example(5e-324)
@example(-1.7976931348623157e308)
@example(-2.2250738585072014e-308)
@example(1e-4)
@example(9.999999999999999e-05)
@example(1e16)
@example(9999999999999998.0)
@example(9007199254740993.0)
@example(2.0**-44)
@example(1e23)
@example(np.inf)
@example(-np.inf)
@example(np.nan)
def test_doubles_are_written_as_python_writes_them(value: float) -> None:
    assert written(np.float64(value)) == repr(value)


@given(st.floats(width=32) | st.integers(0, 10**8).map(lambda n: float(np.float32(n / 100))))
@example(np.float32(1e-4))
@example(np.float32(1e6))
@example(np.float32(1e-45))
@example(np.float32(3.4028235e38))
@example(np.float32(-0.0))
@example(np.float32(16777216))
def test_singles_are_written_as_numpy_writes_them(value: float) -> None:
    text = written(np.float32(value))
    assert text == single(np.float32(value)) and (np.float32(text) == np.float32(value) or np.isnan(value))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_powers_of_two_whose_neighbour_below_is_closer(kind: type) -> None:
    least, most = (-149, 128) if kind is np.float32 else (-1074, 1024)
    for power in range(least, most):
        value = np.ldexp(kind(1), power).astype(kind)
        assert written(value) == (single(value) if kind is np.float32 else repr(float(value)))


@given(st.integers(0, 2**31 - 2))
def test_integers(number: int) -> None:
    indices, starts = np.array([number], np.int32), np.array([0, 1])
    (part,) = kernels.write_sparse(NOTHING, np.ones(1), indices, starts, NOTHING)
    assert part.tobytes().decode() == f" {number + 1}:1.0\n"


@given(st.floats(0, allow_infinity=False) | st.integers(0, 10**25).map(float))
@example(1.7976931348623157e308)
@example(1e18)
@example(999999999999999872.0)
@example(-0.0)
def test_grades_that_are_integers_have_no_point(grade: float) -> None:
    text, _, _ = kernels.heads(np.array([grade]))
    assert text.tobytes().decode() == (str(int(grade)) if grade.is_integer() else repr(grade))

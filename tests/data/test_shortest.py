"""Writing floats with the fewest digits, against Python's `repr` and NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from directrank.data.bytes.shortest import (
    LONGEST,
    floats_of,
    floor_log2_of_power_of_ten,
    floor_log10,
    write_float,
    write_integer,
)


def written(value: np.floating) -> str:
    buffer = np.full(LONGEST + 2, ord("?"), np.uint8)
    bits = np.array(value).view(f"u{value.dtype.itemsize}")[()]
    end = write_float(bits, floats_of(value.dtype), buffer, 1)
    assert end <= LONGEST + 1 and buffer[0] == ord("?") and (buffer[end:] == ord("?")).all()
    return buffer[1:end].tobytes().decode()


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


def test_logarithms_of_powers() -> None:
    for e in range(-324, 326):
        power = floor_log2_of_power_of_ten(e)
        assert 2**power <= 10**e < 2 ** (power + 1) if e >= 0 else 2 ** (-power - 1) < 10**-e <= 2**-power
    for q in range(-1074, 972):
        for at_power_of_two, numerator in ((False, 4), (True, 3)):
            k = floor_log10(q, at_power_of_two)
            number, unit = (numerator << q, 4) if q >= 0 else (numerator, 4 << -q)
            for power, fits in ((k, True), (k + 1, False)):
                below = 10**power * unit <= number if power >= 0 else unit <= number * 10**-power
                assert below == fits


@given(st.integers(0, 2**31))
def test_integers(number: int) -> None:
    buffer = np.zeros(12, np.uint8)
    assert buffer[: write_integer(number, buffer, 0)].tobytes() == str(number).encode()

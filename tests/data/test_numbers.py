"""Decimal numbers, against Python's `float`."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from directrank import InputError, read_letor
from directrank.core import text_table as kernels


def parse(text: str) -> float | None:
    """A finite number, or None."""
    data = np.frombuffer(b"?" + text.encode() + b"?", np.uint8)
    values, wrong = kernels.numbers(data, np.array([1]), np.array([data.size - 2]))
    return None if wrong == 0 else float(values[0])


def same(text: str) -> bool:
    value, wanted = parse(text), float(text)
    if not math.isfinite(wanted):
        return value is None
    return value is not None and struct.pack("d", value) == struct.pack("d", wanted)


@given(st.floats(allow_nan=False))
def test_shortest_form_of_any_float(value: float) -> None:
    assert same(repr(value))


@settings(max_examples=500)
@given(st.from_regex(r"[+-]?([0-9]{1,25}(\.[0-9]{0,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,4})?", fullmatch=True))
@example("9007199254740993")
@example("9007199254740993.0000000000000000000000000000000001")
@example("1e23")
@example("8.5e22")
@example("2.2250738585072011e-308")
@example("4.9e-324")
@example("2.4703282292062327e-324")
@example("2.4703282292062328e-324")
@example("-1e-400")
@example("1.7976931348623159e308")
@example("-1e400")
@example("0.000000000000000000000000000000000001")
@example("100000000000000000000000000000")
@example("0e99999999999999999999")
@example("1e-99999999999999999999")
@example("1e99999999999999999999")
@example("-0")
@example("+7")
@example("1.")
@example(".5")
@example("0" * 400 + "." + "0" * 400 + "1")
@example("1" * 400)
@example("0." + "0" * 70_000 + "1e70001")
@example("0." + "0" * 320 + "1" + "2" * 800)
def test_any_decimal(text: str) -> None:
    assert same(text)


@given(st.integers(2**52, 2**53 - 1), st.integers(0, 400), st.sampled_from(["", "1", "0"]))
def test_the_middle_between_two_floats(mantissa: int, shift: int, rest: str) -> None:
    assert same(str((2 * mantissa + 1) << shift) + ("." + rest if rest else ""))


@given(st.integers(2**52, 2**53 - 1), st.integers(1, 60))
def test_the_middle_between_two_floats_below_1(mantissa: int, shift: int) -> None:
    digits = str((2 * mantissa + 1) * 5**shift)  # (2m + 1) / 2^shift, exactly
    assert same(f"{digits}e-{shift}")


NOT_NUMBERS = ["", "-", "+", ".", "-.", "e5", "1e", "1e+", "1e5x", "0x10", "1_0", "1.2.3", "--1", "+-1", "1-", "nan1"]
NOT_NUMBERS += [".nan", "1:2", "é", "infinit", "nan(1)", "1,5", "0x1p3"]
NOT_NUMBERS += ["1\0", "\x001", "1\x01", "1e5\0", "nan\0", "1\x1f", "1\x7f"]


@pytest.mark.parametrize("text", NOT_NUMBERS)
def test_invalid_numbers(tmp_path: Path, text: str) -> None:
    assert parse(text) is None
    (tmp_path / "data.txt").write_text(f"1 1:{text}\n")
    with pytest.raises(InputError, match="has no value that is a number"):
        read_letor(tmp_path / "data.txt")


@pytest.mark.parametrize("text", ["nan", "NaN", "-nan", "+NAN"])
def test_a_missing_value(tmp_path: Path, text: str) -> None:
    (tmp_path / "data.txt").write_text(f"1 1:{text}#\n2 1:{text}")
    assert np.isnan(read_letor(tmp_path / "data.txt").X).all()
    assert parse(text) is None


@pytest.mark.parametrize("text", ["inf", "-inf", "+Infinity", "INF", "1e999", "-1e999"])
def test_infinite_values_are_rejected(tmp_path: Path, text: str) -> None:
    (tmp_path / "data.txt").write_text(f"1 1:{text}\n")
    with pytest.raises(InputError, match="has no value that is a number"):
        read_letor(tmp_path / "data.txt")
    assert parse(text) is None


@pytest.mark.parametrize("after", [" ", "\t", "\n", "\r", "\v", "\f", "#", ""])
@pytest.mark.parametrize("number", ["12.5", "-1e2", "0.250000"])
def test_a_number_ends_where_a_token_does(tmp_path: Path, after: str, number: str) -> None:
    (tmp_path / "data.txt").write_bytes(f"1 1:{number}{after}".encode())
    assert read_letor(tmp_path / "data.txt").X.tolist() == [[float(number)]]


@given(
    st.integers(0, 9_999_999).map(lambda n: f"{n / 10**6:.6f}") | st.text("0123456789.:/-e\x00\x7f", min_size=8, max_size=8)
)
@example("0.000000")
@example("9.999999")
@example("10.00000")
@example("0:000000")
@example("0.00000/")
@example("/.000000")
def test_six_decimals_at_once(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "decimals.txt"
    path.write_text(f"1 1:{text} 2:7\n")
    try:
        wanted = float(text)
    except ValueError:
        wanted = np.inf
    if np.isfinite(wanted):
        assert read_letor(path).X.tolist() == [[wanted, 7]]
    else:
        with pytest.raises(InputError):
            read_letor(path)

"""Decimal numbers, against Python's `float`."""

from __future__ import annotations

import math
import re
import struct

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from directrank.data.bytes.numbers import (
    MALFORMED,
    READ,
    UNDECIDED,
    parse_integer,
    parse_number,
    parse_six_decimals,
    words_of,
)


def parse(text: str) -> tuple[float, int, int]:
    data = np.frombuffer(text.encode(), np.uint8)
    return parse_number(data, 0, data.size)


def same(text: str) -> bool:
    value, outcome, end = parse(text)
    wanted = float(text)
    if outcome == UNDECIDED:  # `float` is asked then
        return end == len(text)
    return outcome == READ and end == len(text) and struct.pack("d", value) == struct.pack("d", wanted)


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
@example("1.7976931348623159e308")
@example("0.000000000000000000000000000000000001")
@example("100000000000000000000000000000")
@example("-0")
@example("1.")
@example(".5")
def test_any_decimal(text: str) -> None:
    assert same(text)


@given(st.integers(2**52, 2**53 - 1), st.integers(0, 400), st.sampled_from(["", "1", "0"]))
def test_the_middle_between_two_floats(mantissa: int, shift: int, rest: str) -> None:
    assert same(str((2 * mantissa + 1) << shift) + ("." + rest if rest else ""))


@given(st.integers(2**52, 2**53 - 1), st.integers(1, 60))
def test_the_middle_between_two_floats_below_1(mantissa: int, shift: int) -> None:
    digits = str((2 * mantissa + 1) * 5**shift)  # (2m + 1) / 2^shift, exactly
    assert same(f"{digits}e-{shift}")


def test_few_numbers_are_left_undecided() -> None:
    random = np.random.default_rng(0)
    texts = [repr(v) for v in (random.standard_normal(2000) * 10.0 ** random.integers(-30, 30, 2000)).tolist()]
    assert all(parse(text)[1] == READ for text in texts)


@pytest.mark.parametrize("text", ["nan", "NaN", "inf", "-inf", "+Infinity"])
def test_words(text: str) -> None:
    value, outcome, _ = parse(text)
    assert outcome == READ and (value == float(text) or math.isnan(float(text)))


@pytest.mark.parametrize(
    "text",
    ["", "-", "+", ".", "-.", "e5", "1e", "1e+", "1e5x", "0x10", "1_0", "1.2.3", "--1", "1-", "nan1", ".nan", "1:2", "é"],
)
def test_what_is_not_a_number(text: str) -> None:
    assert parse(text)[1] == MALFORMED


@pytest.mark.parametrize("after", [" ", "\t", "\n", "\r", "#", ""])
def test_a_number_ends_where_a_token_does(after: str) -> None:
    assert parse("12.5" + after) == (12.5, READ, 4)


def test_whole_numbers() -> None:
    data = np.frombuffer(b"123:99999999999999999999999", np.uint8)
    assert parse_integer(data, 0, data.size, 1000) == (123, 3)
    assert parse_integer(data, 4, data.size, 1000) == (1000, data.size)


@given(
    st.integers(0, 9_999_999).map(lambda n: f"{n / 10**6:.6f}") | st.text("0123456789.:/ -e\n\x00é", min_size=8, max_size=8)
)
@example("0.000000")
@example("9.999999")
@example("10.00000")
@example("0:000000")
@example("0.00000/")
@example("/.000000")
def test_six_decimals_at_once(text: str) -> None:
    data = np.frombuffer(text.encode("latin-1"), np.uint8)
    value = parse_six_decimals(words_of(data)[0])
    assert value == (float(text) if re.fullmatch(r"[0-9]\.[0-9]{6}", text) else -1)


def test_words_of_short_texts() -> None:
    data = np.frombuffer(b"0.5000001", np.uint8)
    assert [words_of(data[:size]).size for size in (0, 7, 8, 9)] == [0, 0, 1, 2]

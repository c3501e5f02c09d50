"""Writing floats into a buffer of bytes, each with the fewest digits that read back exactly in its own precision.

The text is that of Python's `repr`, and of NumPy's for single precision: with an exponent below 10^-4, and from 10^16 on, or
from 10^6 on in single precision.

The digits are found as by R. Giulietti, "The Schubfach way to render doubles" (2020). A float c x 2^q, with c an integer, is
what every number is read as that lies between the middles to its neighbours. 10^k is the largest power of ten that fits
between them, so that a multiple of it lies there, and perhaps one of 10^(k+1). Of these the shortest is the one that is
closest. It takes three products with a power of ten of 128 bits, of which nothing matters but the integer part and whether
there is more.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...kernel_compiler import njit
from .ascii import MINUS, PLUS, POINT, ZERO, E
from .numbers import multiply

#: The most bytes that a number takes: -1.2345678901234567e-308.
LONGEST = 24

_LOWEST, _HIGHEST = -293, 325


class Floats(NamedTuple):
    """What tells the bits of a kind of float.

    Attributes
    ----------
    fraction : int
        How many bits it has after the leading one.
    least_exponent : int
        The q of the numbers with the lowest exponent.
    infinity : int
        The bits of infinity; what is above them is NaN.
    lowest, highest : int
        The bits of the least number that is written without an exponent, and of the next one that is not.
    """

    fraction: int
    least_exponent: int
    infinity: int
    lowest: int
    highest: int


def floats_of(dtype: Any) -> Floats:
    """The kind of float that a dtype, float32 or float64, stands for."""
    kind = np.dtype(dtype).type
    info, bits = np.finfo(kind), f"u{np.dtype(dtype).itemsize}"
    # The float next to 10^-4 is below it in single precision.
    lowest = kind(1e-4) if float(kind(1e-4)) >= 1e-4 else np.nextafter(kind(1e-4), kind(1))
    highest = 1e6 if kind is np.float32 else 1e16
    infinity, low, high = (int(np.array(value, kind).view(bits)) for value in (np.inf, lowest, highest))
    return Floats(info.nmant, int(info.minexp) - info.nmant, infinity, low, high)


def _powers_of_ten() -> NDArray[np.uint64]:
    """The leading 128 bits of 10^e, rounded up, as (high, low)."""
    table = np.empty((_HIGHEST - _LOWEST + 1, 2), dtype=np.uint64)
    for e in range(_LOWEST, _HIGHEST + 1):
        shift = 127 - floor_log2_of_power_of_ten(e)
        top, bottom = (10**e << max(shift, 0), 1 << max(-shift, 0)) if e >= 0 else (1 << shift, 10**-e)
        bits = -(-top // bottom)
        table[e - _LOWEST] = bits >> 64, bits & (2**64 - 1)
    return table


def floor_log2_of_power_of_ten(e: int) -> int:
    """floor(log2(10^e)), for any e that occurs here."""
    return (e * 1741647) >> 19


# The functions below are compiled into their callers: handing a buffer on for each number costs a quarter of the speed.

_TENS = _powers_of_ten()
_U0, _U1, _U2, _U4, _U10, _U40 = (np.uint64(number) for number in (0, 1, 2, 4, 10, 40))
_U100, _TO_THE_8 = np.uint64(100), np.uint64(10**8)
_PAIRS = np.frombuffer(b"".join(b"%02d" % pair for pair in range(100)), np.uint8).reshape(100, 2)  # 00, 01, ... 99


@njit(cache=True, forceinline=True)
def write_float(bits, floats, buffer, at):  # type: ignore[no-untyped-def]
    """Write the float of these bits at a place in the buffer; returns where its text ends."""
    sign = np.uint64(bits) >> np.uint64(63 if floats.fraction == 52 else 31)
    size = np.uint64(bits) ^ (sign << np.uint64(63 if floats.fraction == 52 else 31))
    if size > np.uint64(floats.infinity):
        return _write_word(b"nan", buffer, at)
    if sign:
        buffer[at] = MINUS
        at += 1
    if size == np.uint64(floats.infinity):
        return _write_word(b"inf", buffer, at)
    if size == _U0:
        return _write_word(b"0.0", buffer, at)
    digits, exponent = _few_decimals(size, floats)
    if digits == _U0:
        digits, exponent = shortest_digits(size, floats)
    n_digits = count_digits(digits)
    if np.uint64(floats.lowest) <= size < np.uint64(floats.highest):
        return _write_plainly(digits, n_digits, n_digits + exponent, buffer, at)
    return _write_with_exponent(digits, n_digits, n_digits + exponent - 1, buffer, at)


@njit(cache=True, forceinline=True)
def write_integer(number, buffer, at):  # type: ignore[no-untyped-def]
    """Write a non-negative integer; returns where its text ends."""
    end = at + count_digits(np.uint64(number))
    _write_digits(np.uint64(number), at, end, buffer)
    return end


@njit(cache=True, forceinline=True)
def _few_decimals(size, floats):  # type: ignore[no-untyped-def]
    """`shortest_digits` of a number of double precision with at most 6 decimals, as most are in files; else 0.

    No two numbers of 15 digits are read as the same float, so that one of them that is read as this float is the shortest.
    """
    if floats.fraction == 52 and size < np.uint64(floats.highest):
        value = np.uint64(size).view(np.float64)
        scaled = np.rint(value * 1e6)
        if scaled < 1e15 and scaled / 1e6 == value:
            return _without_zeros(np.uint64(scaled), -6)
    return _U0, 0


@njit(cache=True, forceinline=True)
def shortest_digits(size, floats):  # type: ignore[no-untyped-def]
    """Digits d without zeros at the end, and an exponent e, so that d x 10^e is the shortest text of a positive float."""
    fraction = np.uint64(floats.fraction)
    c, raised = size & ((_U1 << fraction) - _U1), np.int64(size >> fraction)
    q = floats.least_exponent + max(raised - 1, 0)
    at_power_of_two = c == _U0 and raised > 1  # the neighbour below is closer than the one above
    if raised > 0:
        c |= _U1 << fraction
    # The middles to the neighbours are read as this float only if it is even.
    outside = c & _U1
    k = floor_log10(q, at_power_of_two)
    high, low = _TENS[-k - _LOWEST, 0], _TENS[-k - _LOWEST, 1]
    shift = np.uint64(q + ((-k * 1741647) >> 19) + 1)
    below = _product(((c << _U2) - (_U1 if at_power_of_two else _U2)) << shift, high, low) + outside
    value = _product(c << (_U2 + shift), high, low)
    above = _product(((c << _U2) + _U2) << shift, high, low) - outside
    # These are four times the numbers in units of 10^k, rounded to odd, so that they compare as the exact ones do.
    units = value >> _U2
    tens = units // _U10
    lower_fits, upper_fits = below <= _U40 * tens, _U40 * (tens + _U1) <= above
    if lower_fits != upper_fits:
        return _without_zeros(tens + np.uint64(upper_fits), k + 1)
    lower_fits, upper_fits = below <= _U4 * units, _U4 * (units + _U1) <= above
    if lower_fits != upper_fits:
        return _without_zeros(units + np.uint64(upper_fits), k)
    middle = _U4 * units + _U2
    return _without_zeros(units + np.uint64(value > middle or (value == middle and units & _U1 == _U1)), k)


@njit(cache=True, forceinline=True)
def floor_log10(q, at_power_of_two):  # type: ignore[no-untyped-def]
    """The largest k such that 10^k is at most 2^q, or 3/4 of it, which is the distance of the middles."""
    return (q * 1262611 - (524031 if at_power_of_two else 0)) >> 22


@njit(cache=True, forceinline=True)
def _product(number, high, low):  # type: ignore[no-untyped-def]
    """The integer part of number x (high, low) / 2^128, made odd if there is more than that."""
    carried, _ = multiply(number, low)
    top, rest = multiply(number, high)
    rest = rest + carried
    top = top + np.uint64(rest < carried)
    return top | np.uint64(rest != _U0)


@njit(cache=True, forceinline=True)
def _without_zeros(digits, exponent):  # type: ignore[no-untyped-def]
    if digits >= _TO_THE_8:
        rest = digits // _TO_THE_8
        if rest * _TO_THE_8 == digits:
            digits = rest
            exponent += 8
    while True:
        rest = digits // _U10
        if rest * _U10 != digits:
            return digits, exponent
        digits = rest
        exponent += 1


@njit(cache=True, forceinline=True)
def count_digits(number):  # type: ignore[no-untyped-def]
    count, power = 1, _U10
    while number >= power and count < 19:
        power = power * _U10
        count += 1
    return count


@njit(cache=True, forceinline=True)
def _write_digits(digits, at, end, buffer):  # type: ignore[no-untyped-def]
    """Write the last digits of a number up to `end`, two at a time; returns the ones before them."""
    i = end
    while i >= at + 2:
        rest = digits // _U100
        pair = digits - rest * _U100
        buffer[np.uint64(i - 2)], buffer[np.uint64(i - 1)] = _PAIRS[pair, _U0], _PAIRS[pair, _U1]
        digits = rest
        i -= 2
    if i > at:
        rest = digits // _U10
        buffer[np.uint64(at)] = np.uint8(digits - rest * _U10) + np.uint8(ZERO)
        digits = rest
    return digits


@njit(cache=True, forceinline=True)
def _write_plainly(digits, n_digits, point, buffer, at):  # type: ignore[no-untyped-def]
    """Write 0.d1d2... x 10^point without an exponent."""
    if point <= 0:  # 0.00ddd
        at = _write_zeros(1, buffer, at)
        buffer[at] = POINT
        at = _write_zeros(-point, buffer, at + 1)
        _write_digits(digits, at, at + n_digits, buffer)
        return at + n_digits
    if point >= n_digits:  # ddd00.0
        _write_digits(digits, at, at + n_digits, buffer)
        at = _write_zeros(point - n_digits, buffer, at + n_digits)
        buffer[at] = POINT
        return _write_zeros(1, buffer, at + 1)
    end = at + n_digits + 1
    digits = _write_digits(digits, at + point + 1, end, buffer)
    buffer[at + point] = POINT
    _write_digits(digits, at, at + point, buffer)
    return end


@njit(cache=True, forceinline=True)
def _write_with_exponent(digits, n_digits, exponent, buffer, at):  # type: ignore[no-untyped-def]
    """Write d1.d2d3... x 10^exponent, with at least two digits of the exponent."""
    end = at + 1
    if n_digits > 1:
        end = at + n_digits + 1
        digits = _write_digits(digits, at + 2, end, buffer)
        buffer[at + 1] = POINT
    _write_digits(digits, at, at + 1, buffer)
    buffer[end] = E
    buffer[end + 1] = MINUS if exponent < 0 else PLUS
    after = end + 2 + max(count_digits(np.uint64(abs(exponent))), 2)
    _write_digits(np.uint64(abs(exponent)), end + 2, after, buffer)
    return after


@njit(cache=True, forceinline=True)
def _write_zeros(count, buffer, at):  # type: ignore[no-untyped-def]
    for i in range(at, at + count):
        buffer[i] = ZERO
    return at + count


@njit(cache=True, forceinline=True)
def _write_word(word, buffer, at):  # type: ignore[no-untyped-def]
    for i in range(len(word)):
        buffer[at + i] = word[i]
    return at + len(word)

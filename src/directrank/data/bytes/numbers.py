"""Parsing decimal numbers in a buffer of bytes exactly: the result is the float that Python's `float` gives.

Most numbers need one multiplication or division by an exact power of ten. The rest go through 128-bit products with
tabulated powers of five (D. Lemire, "Number parsing at a gigabyte per second", 2021). The few that this cannot decide (more
than 19 digits, so close to halfway between two floats that the remaining digits matter; and subnormal numbers) are
reported, for `float` to read.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...kernel_compiler import njit
from .ascii import HASH, MINUS, NINE, PLUS, POINT, SPACE, TO_LOWER, ZERO, E

# The outcomes of parsing a number.
READ, MALFORMED, UNDECIDED = 0, 1, 2

_LOWEST, _HIGHEST = -342, 308


def _powers_of_five() -> NDArray[np.uint64]:
    """The leading 128 bits of 5^q, rounded up for negative q, as (high, low)."""
    table = np.empty((_HIGHEST - _LOWEST + 1, 2), dtype=np.uint64)
    for q in range(_LOWEST, _HIGHEST + 1):
        power = 5 ** abs(q)
        if q >= 0:
            bits = power << 127 >> (power.bit_length() - 1)
        else:
            width = (power - 1).bit_length()
            exact = 2 ** (width + 127 if q >= -27 else 2 * width + 128) // power + 1
            bits = exact >> max(exact.bit_length() - 128, 0)
        table[q - _LOWEST] = bits >> 64, bits & (2**64 - 1)
    return table


_FIVES = _powers_of_five()
_TENS = 10.0 ** np.arange(23)
_U0, _U1, _U32, _U63 = np.uint64(0), np.uint64(1), np.uint64(32), np.uint64(63)
_ZERO = np.uint8(ZERO)  # digits are told by one unsigned comparison: text[i] - _ZERO > 9 wraps around below "0"
_SIX_DECIMALS, _TO_HIGH_BITS = np.uint64(0x3030303030302E30), np.uint64(0x7676767676767F76)
_HIGH_BITS = np.uint64(0x8080808080808080)
_LOW_HALF, _ALL_ONES = np.uint64(2**32 - 1), np.uint64(2**64 - 1)


def words_of(text: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Eight bytes from each position on as one integer, the first of them lowest; there are none at the last positions."""
    return np.ndarray((max(text.size - 7, 0),), np.uint64, text, 0, (1,))


@njit(cache=True)
def parse_six_decimals(word):  # type: ignore[no-untyped-def]
    """A number of the form d.dddddd, as LETOR's own files have them, all at once; below 0 if it is of any other form.

    Less the codes of 0 and of the point, the point is 0 and digits are bytes below 10; adding 127 and 118 gives the highest
    bit to all others. Then neighbours are put together: digits, pairs of them, and fours.
    """
    digits = word ^ _SIX_DECIMALS
    if ((digits + _TO_HIGH_BITS) | digits) & _HIGH_BITS != _U0:
        return -1.0
    pairs = (digits * np.uint64(10) + (digits >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
    fours = (pairs * np.uint64(100) + (pairs >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    with_point = (fours * np.uint64(10_000) + (fours >> _U32)) & _LOW_HALF  # the point counts as a digit 0
    return np.float64(np.int64(with_point - (digits & np.uint64(15)) * np.uint64(9_000_000))) / 1e6


# In the two functions below positions are unsigned, because Numba checks every signed index for being negative: that alone
# would double their time. The loop over digits is written out each time: as a function it costs a sixth of the speed.


@njit(cache=True)
def parse_integer(text, at, end, limit):  # type: ignore[no-untyped-def]
    """The non-negative integer at `at`, or `limit` if it is larger, and where its digits end."""
    i, stop, number = np.uint64(at), np.uint64(end), 0
    while i < stop:
        digit = np.uint8(text[i] - _ZERO)
        if digit > 9:
            break
        number = min(number * 10 + np.int64(digit), limit)
        i += _U1
    return number, np.int64(i)


@njit(cache=True)
def parse_number(text, at, end):  # type: ignore[no-untyped-def]
    """The number at `at`, the outcome (READ, MALFORMED or UNDECIDED), and where the number ends.

    It must end as a token does: at whitespace, at a # or at `end`. Up to 18 digits, with or without a decimal point, are
    parsed here; everything else is left to `_parse_carefully`.
    """
    start, stop, mantissa = np.uint64(at), np.uint64(end), 0
    i = start
    while i < stop:
        digit = np.uint8(text[i] - _ZERO)
        if digit > 9:
            break
        mantissa = mantissa * 10 + np.int64(digit)
        i += _U1
    point = i
    if i < stop and text[i] == POINT:
        i += _U1
        while i < stop:
            digit = np.uint8(text[i] - _ZERO)
            if digit > 9:
                break
            mantissa = mantissa * 10 + np.int64(digit)
            i += _U1
    if point == start or i > start + np.uint64(18) or mantissa > 2**53 or (i < stop and text[i] > SPACE and text[i] != HASH):
        return _parse_carefully(text, at, end)
    decimals = np.int64(i - point) - 1
    return (mantissa / _TENS[decimals] if decimals > 0 else np.float64(mantissa)), READ, np.int64(i)


@njit(cache=True)
def token_end(text, at, end):  # type: ignore[no-untyped-def]
    """Where the token at `at` ends: at whitespace, at a # or at `end`."""
    while at < end and text[at] > SPACE and text[at] != HASH:
        at += 1
    return at


@njit(cache=True)
def _parse_carefully(text, at, end):  # type: ignore[no-untyped-def]
    """A number of any form that `float` reads, but for underscores; a sign, digits, an exponent, or a word."""
    negative = at < end and text[at] == MINUS
    if at < end and (text[at] == MINUS or text[at] == PLUS):
        at += 1
    start = at
    mantissa, exponent, dropped, at = _parse_digits(text, start, end)
    if at == start or (at == start + 1 and text[start] == POINT):
        value, at = _parse_word(text, start, end)
        return (-value if negative else value), (READ if at > start else MALFORMED), at
    if at < end and text[at] | TO_LOWER == E:
        power, at = _parse_power(text, at, end)
        exponent += power
    if at < end and text[at] > SPACE and text[at] != HASH:
        return 0.0, MALFORMED, at
    value, decided = _to_float(mantissa, exponent)
    if dropped and decided:
        above, decided = _to_float(mantissa + _U1, exponent)
        decided = decided and above == value
    return (-value if negative else value), (READ if decided else UNDECIDED), at


@njit(cache=True)
def _parse_digits(text, at, end):  # type: ignore[no-untyped-def]
    """Digits with or without a point: the first 19 significant ones, the power of ten, whether a non-zero was dropped."""
    mantissa, exponent, dropped, limit, ten = _U0, 0, False, np.uint64(10**18), np.uint64(10)
    while at < end and ZERO <= text[at] <= NINE:
        if mantissa < limit:
            mantissa = mantissa * ten + np.uint64(text[at] - ZERO)
        else:
            dropped = dropped or text[at] > ZERO
            exponent += 1
        at += 1
    if at < end and text[at] == POINT:
        at += 1
        while at < end and ZERO <= text[at] <= NINE:
            if mantissa < limit:
                mantissa = mantissa * ten + np.uint64(text[at] - ZERO)
                exponent -= 1
            else:
                dropped = dropped or text[at] > ZERO
            at += 1
    return mantissa, exponent, dropped, at


@njit(cache=True)
def _parse_power(text, at, end):  # type: ignore[no-untyped-def]
    """The exponent after an e, and where it ends; the position of the e if no digits follow."""
    first = at + 1
    negative = first < end and text[first] == MINUS
    if first < end and (text[first] == MINUS or text[first] == PLUS):
        first += 1
    power, i = 0, first
    while i < end and ZERO <= text[i] <= NINE:
        power = min(power * 10 + np.int64(text[i]) - ZERO, 100_000)
        i += 1
    return (-power if negative else power), (i if i > first else at)


@njit(cache=True)
def _parse_word(text, at, end):  # type: ignore[no-untyped-def]
    """nan, inf or infinity, in any case, and where it ends; `at` if it is none of them."""
    end = token_end(text, at, end)
    if _is_word(text, at, end, b"nan"):
        return np.nan, end
    if _is_word(text, at, end, b"inf") or _is_word(text, at, end, b"infinity"):
        return np.inf, end
    return 0.0, at


@njit(cache=True)
def _is_word(text, at, end, word):  # type: ignore[no-untyped-def]
    if end - at != len(word):
        return False
    same = True
    for i in range(len(word)):
        same = same and text[at + i] | TO_LOWER == word[i]
    return same


@njit(cache=True)
def _to_float(mantissa, exponent):  # type: ignore[no-untyped-def]
    """mantissa x 10^exponent rounded to a float, and whether the rounding is certain."""
    if mantissa == _U0:
        return 0.0, True
    if mantissa <= np.uint64(2**53) and -22 <= exponent <= 22:
        if exponent < 0:
            return np.float64(mantissa) / _TENS[-exponent], True
        return np.float64(mantissa) * _TENS[exponent], True
    if exponent > _HIGHEST:
        return np.inf, True
    if exponent < _LOWEST:
        return 0.0, exponent < _LOWEST - 2  # 2^64 x 10^-345 is less than half of the smallest float
    return _eisel_lemire(mantissa, exponent)


@njit(cache=True)
def _eisel_lemire(mantissa, exponent):  # type: ignore[no-untyped-def]
    """The same by the algorithm of Eisel and Lemire, for exponents from _LOWEST to _HIGHEST."""
    zeros = 0
    while mantissa >> _U63 == _U0:
        mantissa = mantissa << _U1
        zeros += 1
    high, low = multiply(mantissa, _FIVES[exponent - _LOWEST, 0])
    if high & np.uint64(511) == np.uint64(511):
        correction, _ = multiply(mantissa, _FIVES[exponent - _LOWEST, 1])
        low = low + correction
        if correction > low:
            high = high + _U1
    if low == _ALL_ONES and not -27 <= exponent <= 55:
        return 0.0, False
    top = high >> _U63
    shift = top + np.uint64(9)
    bits = high >> shift
    power = ((217706 * exponent) >> 16) + 63 + np.int64(top) - zeros + 1023
    if power <= 0:
        return 0.0, False
    halfway = low <= _U1 and -4 <= exponent <= 23 and bits & np.uint64(3) == _U1 and bits << shift == high
    if halfway:  # to even
        bits = bits & ~_U1
    bits = (bits + (bits & _U1)) >> _U1
    if bits >= np.uint64(2**53):
        bits = np.uint64(2**52)
        power += 1
    if power >= 2047:
        return np.inf, True
    bits = (bits & np.uint64(2**52 - 1)) | (np.uint64(power) << np.uint64(52))
    return np.uint64(bits).view(np.float64), True


@njit(cache=True, forceinline=True)
def multiply(a, b):  # type: ignore[no-untyped-def]
    """The 128-bit product of two 64-bit numbers, as (high, low)."""
    a_high, a_low, b_high, b_low = a >> _U32, a & _LOW_HALF, b >> _U32, b & _LOW_HALF
    low, middle, cross = a_low * b_low, a_high * b_low, a_low * b_high
    carry = ((low >> _U32) + (middle & _LOW_HALF) + cross) >> _U32
    return a_high * b_high + (middle >> _U32) + carry, a * b

// Exact conversion of decimal numbers: reading as Python's `float`, and writing the shortest digits as `repr`.
//
// It uses from_chars and to_chars where available: libc++ reads doubles only since LLVM 20, and macOS has older versions.
// Otherwise the C library does the same, slowly, by trying each number of digits.
#pragma once

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <system_error>
#include <type_traits>

#ifdef __APPLE__
#include <xlocale.h>
#else
#include <locale.h>
#endif

#include "data/parsing/ascii.hpp"

namespace directrank::decimal {

// Digits d1 d2 ... of d1.d2... x 10^exponent. The text is readable beyond them.
struct Digits {
    static constexpr int MAX_SIZE = 17;
    char text[2 * MAX_SIZE + 8];
    int start, size, exponent;
    const char* begin() const { return text + start; }
};

// Parses by the C library, independent of the locale.
namespace c_library {

template <class Float>
Float parse(const char* first, const char* last) {
    const std::string text(first, last);
#ifdef _WIN32
    static const _locale_t locale = _create_locale(LC_ALL, "C");
    if constexpr (std::is_same_v<Float, float>) return _strtof_l(text.c_str(), nullptr, locale);
    else return _strtod_l(text.c_str(), nullptr, locale);
#else
    static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
    if constexpr (std::is_same_v<Float, float>) return strtof_l(text.c_str(), nullptr, locale);
    else return strtod_l(text.c_str(), nullptr, locale);
#endif
}

inline std::string scientific(const Digits& digits) {
    std::string text(digits.begin(), static_cast<std::size_t>(digits.size));
    if (digits.size > 1) text.insert(1, ".");
    return text + "e" + std::to_string(digits.exponent);
}

// The closest number with `size` digits to a positive number.
inline Digits closest(double value, int size) {
    char text[40];
    std::snprintf(text, sizeof text, "%.*e", size - 1, value);
    Digits digits{{}, 0, 0, 0};
    const char* at = text;
    for (; *at != 'e'; ++at)  // the point may be another character
        if (ascii::is_digit(static_cast<Byte>(*at))) digits.text[digits.size++] = *at;
    digits.exponent = std::atoi(at + 1);
    return digits;
}

// The next number with the same number of digits.
inline Digits next(Digits digits) {
    int i = digits.size - 1;
    for (; i >= 0 && digits.text[i] == '9'; --i) digits.text[i] = '0';
    if (i >= 0) {
        ++digits.text[i];
    } else {
        digits.text[0] = '1';
        ++digits.exponent;
    }
    return digits;
}

// At powers of two, where the float below is closer than the one above, the closest number may round to the one below, but
// the next to this float.
template <class Float>
Digits shortest(Float value) {
    const auto is_read_as_value = [&](const Digits& digits) {
        const std::string text = scientific(digits);
        return parse<Float>(text.data(), text.data() + text.size()) == value;
    };
    for (int size = 1; size < 17; ++size) {
        const Digits digits = closest(static_cast<double>(value), size);
        if (is_read_as_value(digits)) return digits;
        if (is_read_as_value(next(digits))) return next(digits);
    }
    return closest(static_cast<double>(value), 17);
}

}  // namespace c_library

#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L

// Overflow gives infinity, and underflow the nearest subnormal or 0, as in C; C++ only reports a range error.
inline double parse(const char* first, const char* last) {
    double value;
    return std::from_chars(first, last, value).ec == std::errc{} ? value : c_library::parse<double>(first, last);
}

template <class Float>
Digits shortest(Float value) {
    Digits digits;
    const char* const end =
        std::to_chars(digits.text, digits.text + sizeof digits.text, value, std::chars_format::scientific).ptr;
    const char* const e = end[-4] == 'e' ? end - 4 : end - 5;  // an exponent has two digits or three
    std::from_chars(e + (e[1] == '+' ? 2 : 1), end, digits.exponent);
    digits.start = digits.text[1] == '.';
    digits.size = static_cast<int>(e - digits.text) - digits.start;
    digits.text[digits.start] = digits.text[0];  // in place of the point
    return digits;
}

#else

inline double parse(const char* first, const char* last) { return c_library::parse<double>(first, last); }

template <class Float>
Digits shortest(Float value) {
    return c_library::shortest(value);
}

#endif

// Whether the characters at `at` equal a lower-case word, ignoring case.
inline bool is_word(const Byte* at, const Byte* stop, const char* word) {
    for (; *word != 0; ++at, ++word)
        if (at == stop || (*at | 0x20) != *word) return false;
    return true;
}

inline const Byte* skip_digits(const Byte* at, const Byte* stop) {
    while (at != stop && ascii::is_digit(*at)) ++at;
    return at;
}

// `read` for a number of any form.
inline const Byte* read_any_form(const Byte* at, const Byte* stop, double& value) {
    const bool negative = at != stop && *at == '-';
    const Byte* const first = at + (negative || (at != stop && *at == '+'));
    const Byte* end = skip_digits(first, stop);
    auto n_digits = end - first;
    if (end != stop && *end == '.') {
        const Byte* const decimals = end + 1;
        end = skip_digits(decimals, stop);
        n_digits += end - decimals;
    }
    if (n_digits == 0) {
        const bool is_nan = is_word(first, stop, "nan");
        if (!is_nan && !is_word(first, stop, "inf")) return at;
        value = is_nan ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
        value = negative ? -value : value;
        return first + (is_word(first, stop, "infinity") ? 8 : 3);
    }
    if (end != stop && (*end | 0x20) == 'e') {
        const Byte* const sign = end + 1;
        const Byte* const power = sign + (sign != stop && (*sign == '-' || *sign == '+'));
        const Byte* const after = skip_digits(power, stop);
        if (after != power) end = after;
    }
    value = parse(reinterpret_cast<const char*>(first), reinterpret_cast<const char*>(end));
    value = negative ? -value : value;
    return end;
}

// Powers of ten that are exact doubles.
constexpr double TENS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                           1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Reads the number at `at`; returns its end, or `at` if there is no number.
//
// A number is an optional sign, digits with or without a point, and an optional exponent, or nan, inf or infinity in any
// case, as for `float` except underscores. The caller checks what follows it. Up to 18 digits without an exponent take one
// exact division.
inline const Byte* read(const Byte* at, const Byte* stop, double& value) {
    const bool negative = at != stop && *at == '-';
    const Byte* const first = at + negative;
    const Byte* i = first;
    std::uint64_t mantissa = 0;
    for (; i != stop && ascii::is_digit(*i); ++i) mantissa = 10 * mantissa + (*i - '0');
    const Byte* const point = i;
    if (i != stop && *i == '.')
        for (++i; i != stop && ascii::is_digit(*i); ++i) mantissa = 10 * mantissa + (*i - '0');
    if (point == first || i - first > 18 || mantissa > std::uint64_t{1} << 53 || (i != stop && (*i | 0x20) == 'e'))
        return read_any_form(at, stop, value);
    const auto decimals = i - point - 1;
    value = static_cast<double>(static_cast<std::int64_t>(mantissa));
    if (decimals > 0) value /= TENS[decimals];
    value = negative ? -value : value;
    return i;
}

// Reads a number of the form d.dddddd, as in LETOR's files, eight bytes at once; negative if it has another form.
//
// After subtraction of the codes of 0 and of the point, the point is 0 and digits are bytes below 10; adding 127 and 118
// sets the highest bit of all others. Then neighbouring digits, pairs and groups of four are combined.
inline double read_six_decimals(std::uint64_t word) {
    const std::uint64_t digits = word ^ 0x3030303030302E30;
    if (((digits + 0x7676767676767F76) | digits) & 0x8080808080808080) return -1;
    const std::uint64_t pairs = (digits * 10 + (digits >> 8)) & 0x00FF00FF00FF00FF;
    const std::uint64_t fours = (pairs * 100 + (pairs >> 16)) & 0x0000FFFF0000FFFF;
    const std::uint64_t with_point = (fours * 10000 + (fours >> 32)) & 0xFFFFFFFF;  // the point counts as a digit 0
    return static_cast<double>(static_cast<std::int64_t>(with_point - (digits & 15) * 9000000)) / 1e6;
}

// Reads the non-negative integer at `at`, or `limit` if it is larger; returns the end of its digits.
inline const Byte* read_integer(const Byte* at, const Byte* stop, Index limit, Index& number) {
    number = 0;
    for (; at != stop && ascii::is_digit(*at); ++at) number = std::min<Index>(10 * number + (*at - '0'), limit);
    return at;
}

// Maximum length of a float, -1.2345678901234567e-308, and of an integer, -9223372036854775808. Bytes after the text of a
// float may be overwritten: ROOM bytes must be writable.
constexpr Index MAX_FLOAT_SIZE = 24, MAX_INTEGER_SIZE = 20, ROOM = MAX_FLOAT_SIZE + Digits::MAX_SIZE;

inline char* write_integer(Index number, char* at) { return std::to_chars(at, at + MAX_INTEGER_SIZE, number).ptr; }

// Writes `size` digits. It copies the maximum number of digits, without a loop.
inline char* write_digits(const char* digits, int size, char* at) {
    std::memcpy(at, digits, Digits::MAX_SIZE);
    return at + size;
}

inline char* write_zeros(int n, char* at) {
    for (; n > 0; --n) *at++ = '0';
    return at;
}

// Writes digits without an exponent, with at least one after the point.
inline char* write_plainly(const Digits& digits, char* at) {
    const int whole = digits.exponent + 1;  // digits before the point
    if (whole <= 0) {
        *at++ = '0', *at++ = '.';
        return write_digits(digits.begin(), digits.size, write_zeros(-whole, at));
    }
    at = write_digits(digits.begin(), std::min(whole, digits.size), at);
    at = write_zeros(whole - digits.size, at);
    *at++ = '.';
    return whole < digits.size ? write_digits(digits.begin() + whole, digits.size - whole, at) : write_zeros(1, at);
}

// Writes digits with an exponent of at least two digits.
inline char* write_with_exponent(const Digits& digits, char* at) {
    *at++ = *digits.begin();
    if (digits.size > 1) *at++ = '.';
    at = write_digits(digits.begin() + 1, digits.size - 1, at);
    *at++ = 'e', *at++ = digits.exponent < 0 ? '-' : '+';
    const int power = std::abs(digits.exponent);
    return std::to_chars(power < 10 ? write_zeros(1, at) : at, at + 4, power).ptr;
}

// Writes a number with at most 6 decimals, the common case in files; otherwise returns nullptr.
//
// Distinct numbers of 15 digits are distinct doubles, so a number of 15 digits that reads as this double is the shortest.
inline char* write_few_decimals(double size, char* at) {
    if (!(size >= 1e-4 && size < 1e9)) return nullptr;
    const auto millionths = static_cast<std::int64_t>(size * 1e6 + 0.5);
    if (static_cast<double>(millionths) / 1e6 != size) return nullptr;
    at = write_integer(millionths / 1000000, at);
    auto rest = static_cast<std::uint32_t>(millionths % 1000000);
    *at = '.';
    for (int i = 6; i > 0; --i, rest /= 10) at[i] = static_cast<char>('0' + rest % 10);
    at += 7;
    while (at[-1] == '0' && at[-2] != '.') --at;
    return at;
}

// Writes a float as Python's `repr` does, or NumPy's for single precision: with the fewest digits that read as this float in
// its precision, and with an exponent below 10^-4 and from 10^16 on, or from 10^6 on in single precision. Returns its end.
template <class Float>
char* write(Float value, char* at) {
    if (std::isnan(value)) return at[0] = 'n', at[1] = 'a', at[2] = 'n', at + 3;
    if (std::signbit(value)) *at++ = '-';
    const Float size = std::abs(value);
    if (std::isinf(size)) return at[0] = 'i', at[1] = 'n', at[2] = 'f', at + 3;
    if (size == 0) return at[0] = '0', at[1] = '.', at[2] = '0', at + 3;
    if constexpr (std::is_same_v<Float, double>)
        if (char* const end = write_few_decimals(size, at)) return end;
    const bool is_plain = size >= 1e-4 && size < (std::is_same_v<Float, float> ? 1e6 : 1e16);
    const Digits digits = shortest(size);
    return is_plain ? write_plainly(digits, at) : write_with_exponent(digits, at);
}

}  // namespace directrank::decimal

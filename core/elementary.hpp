// Elementary functions: the C library's differ in the last bit between machines, and do not vectorise.
#pragma once

#include <cstdint>
#include <cstring>

#include "span.hpp"

namespace directrank {

inline double from_bits(std::uint64_t bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

inline std::uint64_t to_bits(double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

namespace elementary {

constexpr double LN2 = 0.6931471805599453, LN2_HIGH = 6.93147180369123816490e-01, LN2_LOW = 1.90821492927058770002e-10;
constexpr double ROUND = 0x1.8p52;  // adding and subtracting it rounds to an integer, which the low bits of the sum hold

// e^(r + lost) for |r| <= ln(2)/2: a Taylor polynomial whose first omitted term, r^14/14!, is below 2^-57. The smallest
// terms are summed first, and 1 + r is added last.
inline double exponential_near_0(double r, double lost) {
    double p = 1.6059043836821613e-10;
    p = p * r + 2.0876756987868099e-09;
    p = p * r + 2.5052108385441719e-08;
    p = p * r + 2.7557319223985893e-07;
    p = p * r + 2.7557319223985888e-06;
    p = p * r + 2.4801587301587302e-05;
    p = p * r + 1.9841269841269841e-04;
    p = p * r + 1.3888888888888889e-03;
    p = p * r + 8.3333333333333332e-03;
    p = p * r + 4.1666666666666664e-02;
    p = p * r + 1.6666666666666666e-01;
    p = p * r + 0.5;
    return 1.0 + (r + (r * r * p + lost * (1.0 + r)));
}

// x 2^k for `shifted` = k + ROUND; in two factors, so that results may be subnormal.
inline double times_power_of_2(double x, double shifted) {
    const auto k = static_cast<std::int64_t>(to_bits(shifted) - to_bits(ROUND));
    const std::int64_t half = k >> 1;
    const double first = from_bits(static_cast<std::uint64_t>(half + 1023) << 52);
    const double second = from_bits(static_cast<std::uint64_t>(k - half + 1023) << 52);
    return x * first * second;
}

// x = 2^exponent m for 1/sqrt(2) < m <= sqrt(2), with log m.
struct Logarithm {
    double exponent, rest;
};

// With s = (m - 1)/(m + 1), log m = 2 artanh s = 2 (s + s^3/3 + s^5/5 + ...); the first omitted term, s^25/25, is below
// 2^-68.
inline Logarithm split_logarithm(double x) {
    constexpr double SMALLEST_NORMAL = 0x1p-1022, ROOT_2 = 1.4142135623730951;
    const bool is_subnormal = x < SMALLEST_NORMAL;
    const std::uint64_t bits = to_bits(is_subnormal ? x * 0x1p54 : x);
    auto exponent = static_cast<double>(bits >> 52) - (is_subnormal ? 1077 : 1023);
    double m = from_bits((bits & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000);
    if (m > ROOT_2) m /= 2, exponent += 1;
    const double s = (m - 1) / (m + 1), z = s * s;
    double p = 1.0 / 23;
    for (int odd = 21; odd > 0; odd -= 2) p = p * z + 1.0 / odd;
    return {exponent, 2 * s * p};
}

}  // namespace elementary

// e^x within one unit in the last place, in operations that vectorise; NaN stays NaN.
//
// With k = round(x / ln 2) and r = x - k ln 2, e^x = 2^k e^r. ln 2 is split into two parts, the first short enough for
// its product with k to be exact.
inline double exponential(double x) {
    using namespace elementary;
    constexpr double INV_LN2 = 1.4426950408889634;
    double clamped = x > 710.0 ? 710.0 : x;
    clamped = clamped < -746.0 ? -746.0 : clamped;
    const double shifted = clamped * INV_LN2 + ROUND;
    const double k = shifted - ROUND;
    const double high = clamped - k * LN2_HIGH, low = k * LN2_LOW;
    const double r = high - low;
    const double lost = (high - r) - low;  // rounding error of r
    const double result = times_power_of_2(exponential_near_0(r, lost), shifted);
    return x == x ? result : x;
}

// 2^x within one unit in the last place, exact for integers; NaN stays NaN.
inline double power_of_2(double x) {
    using namespace elementary;
    double clamped = x > 1025.0 ? 1025.0 : x;
    clamped = clamped < -1076.0 ? -1076.0 : clamped;
    const double shifted = clamped + ROUND;
    const double result = times_power_of_2(exponential_near_0((clamped - (shifted - ROUND)) * LN2, 0.0), shifted);
    return x == x ? result : x;
}

// Natural logarithm of a finite x > 0, within four units in the last place; two for x >= 2.
inline double logarithm(double x) {
    const auto [exponent, rest] = elementary::split_logarithm(x);
    return exponent * elementary::LN2_HIGH + (exponent * elementary::LN2_LOW + rest);
}

// Base-2 logarithm of a finite x > 0, within four units in the last place, two for x >= 2; exact for powers of 2.
inline double binary_logarithm(double x) {
    const auto [exponent, rest] = elementary::split_logarithm(x);
    return exponent + rest / elementary::LN2;
}

// e^(u^2/2) times the probability that a normal variable is above u, for u >= 0; within 1e-15 of it, in operations that
// vectorise.
//
// It is erfc(u/sqrt(2))/2 without its exponential. Times u + 4 it is smooth in t = (u - 4)/(u + 4), which goes from -1 to 1:
// a polynomial of degree 22, from Chebyshev's, whose first omitted term is below 1e-16.
inline double scaled_normal_tail(double u) {
    const double inverse = 1 / (u + 4), t = (u - 4) * inverse;
    double p = -1.6886576966786735e-09;
    p = p * t - 1.277235143295772e-09;
    p = p * t + 1.60673869573294e-08;
    p = p * t + 1.9569608939974048e-08;
    p = p * t - 7.878360342693638e-08;
    p = p * t - 1.622316320853567e-07;
    p = p * t + 2.647337281979868e-07;
    p = p * t + 1.026984070143193e-06;
    p = p * t - 6.249551077565178e-07;
    p = p * t - 5.922893777541928e-06;
    p = p * t + 7.146021531267462e-07;
    p = p * t + 3.514560235904452e-05;
    p = p * t - 1.907676030719098e-06;
    p = p * t - 0.00023109513778728935;
    p = p * t + 0.00013334420916014778;
    p = p * t + 0.0016308184854735856;
    p = p * t - 0.0034796923566515025;
    p = p * t - 0.007540188968891619;
    p = p * t + 0.06039657489036092;
    p = p * t - 0.1865218579595787;
    p = p * t + 0.3871374007422266;
    p = p * t - 0.607896641971893;
    p = p * t + 0.7552851304157514;
    return p * inverse;
}

// Logarithm of a/b for a >= b > 0, within 1e-15 even if a is close to b.
//
// With s = (a - b)/(a + b), log(a/b) = 2 artanh s = 2 (s + s^3/3 + s^5/5 + ...). b is doubled until s is at most 1/3; the
// first omitted term, s^34/35, is below 2^-58.
inline double log_of_ratio(double a, double b) {
    double n_doubled = 0;
    for (; a > 2 * b; b *= 2) ++n_doubled;
    const double s = (a - b) / (a + b), z = s * s;
    double p = 1.0 / 33;
    for (int odd = 31; odd > 0; odd -= 2) p = p * z + 1.0 / odd;
    return n_doubled * elementary::LN2 + 2 * s * p;
}

namespace elementary {

// The same functions applied to n values; logarithms need finite positive ones.
void exponentials(const double* x, Index n, double* y);
void powers_of_2(const double* x, Index n, double* y);
void logarithms(const double* x, Index n, double* y);
void binary_logarithms(const double* x, Index n, double* y);

}  // namespace elementary

}  // namespace directrank

// Elementary functions of our own: the library's differ in the last bit from machine to machine, and do not vectorise.
#pragma once

#include <cstdint>
#include <cstring>

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

// e^x within one unit in the last place, in operations that vectorise; NaN stays NaN.
//
// With k = round(x / ln 2) and r = x - k ln 2, |r| <= ln(2)/2, e^x = 2^k e^r. ln 2 is taken in two parts, the first so short
// that its product with k is exact; e^r is a Taylor polynomial whose first term left out, r^14/14!, is below 2^-57. The sum
// begins with the smallest terms, and 1 + r is added last. 2^k is applied in two factors, so that results may be subnormal.
inline double exponential(double x) {
    constexpr double INV_LN2 = 1.4426950408889634, LN2_HIGH = 6.93147180369123816490e-01, LN2_LOW = 1.90821492927058770002e-10;
    constexpr double ROUND = 0x1.8p52;  // added and taken away again, it rounds to an integer
    double clamped = x > 710.0 ? 710.0 : x;
    clamped = clamped < -746.0 ? -746.0 : clamped;
    const double shifted = clamped * INV_LN2 + ROUND;
    const double k = shifted - ROUND;
    const double high = clamped - k * LN2_HIGH, low = k * LN2_LOW;
    const double r = high - low;
    const double lost = (high - r) - low;  // what rounding took from r
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
    const double e = 1.0 + (r + (r * r * p + lost * (1.0 + r)));
    // The low bits of `shifted` are k as an integer.
    const auto n = static_cast<std::int64_t>(to_bits(shifted) - to_bits(ROUND));
    const std::int64_t half = n >> 1;
    const double first = from_bits(static_cast<std::uint64_t>(half + 1023) << 52);
    const double second = from_bits(static_cast<std::uint64_t>(n - half + 1023) << 52);
    const double result = e * first * second;
    return x == x ? result : x;
}

}  // namespace directrank

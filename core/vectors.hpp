// Explicit vectors of four doubles, for loops that compilers do not vectorise.
//
// Operations are lane by lane, so the bits do not depend on the processor's vector width. (GCC generates poor code for wider
// vector types.)
#pragma once

#include <cstdint>
#include <cstring>

#include "span.hpp"

namespace directrank {

constexpr int WIDTH = 4;

#if defined(__GNUC__)
using Doubles = double __attribute__((vector_size(8 * WIDTH)));
using Mask = std::int64_t __attribute__((vector_size(8 * WIDTH)));
#else
template <class T>
struct Vector {
    T values[WIDTH];
    T& operator[](int lane) { return values[lane]; }
    T operator[](int lane) const { return values[lane]; }
};
using Doubles = Vector<double>;
using Mask = Vector<std::int64_t>;

template <class Operation>
inline Doubles each(const Doubles& a, const Doubles& b, const Operation& operation) {
    Doubles result;
    for (int lane = 0; lane < WIDTH; ++lane) result[lane] = operation(a[lane], b[lane]);
    return result;
}
inline Doubles operator+(const Doubles& a, const Doubles& b) { return each(a, b, [](double x, double y) { return x + y; }); }
inline Doubles operator-(const Doubles& a, const Doubles& b) { return each(a, b, [](double x, double y) { return x - y; }); }
inline Doubles operator*(const Doubles& a, const Doubles& b) { return each(a, b, [](double x, double y) { return x * y; }); }
inline Doubles repeated(double value) { return {value, value, value, value}; }
inline Doubles operator*(double a, const Doubles& b) { return repeated(a) * b; }
inline Doubles operator-(double a, const Doubles& b) { return repeated(a) - b; }
#endif

template <class T>
inline Doubles load(const T* values) {
    double converted[WIDTH];
    for (int lane = 0; lane < WIDTH; ++lane) converted[lane] = values[lane];
    Doubles result;
    std::memcpy(&result, converted, sizeof result);
    return result;
}

inline void store(const Doubles& from, double* to) { std::memcpy(to, &from, sizeof from); }

// Mask of the first n lanes.
inline Mask first_lanes(Index n) { return Mask{-(n > 0), -(n > 1), -(n > 2), -(n > 3)}; }

// Values of the lanes in a mask; 0 in the others.
inline Doubles masked(const Doubles& values, const Mask& mask) {
#if defined(__GNUC__)
    return reinterpret_cast<Doubles>(reinterpret_cast<Mask>(values) & mask);
#else
    Doubles result;
    for (int lane = 0; lane < WIDTH; ++lane) result[lane] = mask[lane] ? values[lane] : 0.0;
    return result;
#endif
}

// (a + c) + (b + d) for lanes a, b, c, d.
inline double sum(const Doubles& values) {
    const double first = values[0] + values[2], second = values[1] + values[3];
    return first + second;
}

}  // namespace directrank

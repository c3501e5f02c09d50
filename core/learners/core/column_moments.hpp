// Sums of powers of columns as integers, which have the same bits in any order; see learners/core/column_moments.py.
#pragma once

#include <cmath>

#include "matrix/dense.hpp"
#include "matrix/feature_scaling.hpp"
#include "thread_pool.hpp"

namespace directrank::column_moments {

// Powers from the first to this one, beside the weights.
constexpr Index POWERS = 4;

// Number of bits of a value times those of a weight, and number of rows whose sum a double holds without rounding.
constexpr Index MAX_BITS = 42, EXACT_ROWS = 1 << 11;

// Some columns of X, as powers of (x - centre) * factor, which is within [0, 1], in units of 2^-bits.
struct Sums {
    Span<const Index> columns;
    bool is_log;
    Span<const double> centre, factor;
    Index bits;
};

// Adds a row's weight and its rounded powers, times the weight, to sums of `n` values each.
void add_powers(const double* values, Index n, const double* centre, const double* factor, double rounding, double weight,
                double* sums);

template <class T>
Array<Index> power_sums(const Dense<T>& X, Span<const Index> weights, const Sums& wanted, Index n_parts) {
    const Index n = wanted.columns.size(), size = (1 + POWERS) * n;
    const double unit = std::ldexp(1.0, static_cast<int>(wanted.bits));
    const double rounding = std::ldexp(1.5, static_cast<int>(52 - wanted.bits));  // adding it rounds to units
    auto parts = Table<Index>::zeros(n_parts, size);
    for_each_part(X.rows(), n_parts, [&](Index part, Index first, Index last) {
        Array<double> values(n), sums(size);
        for (Index start = first; start < last; start += EXACT_ROWS) {
            std::fill(sums.begin(), sums.end(), 0.0);
            for (Index i = start; i < std::min(start + EXACT_ROWS, last); ++i) {
                if (weights[i] == 0) continue;
                for (Index k = 0; k < n; ++k) values[k] = static_cast<double>(X(i, wanted.columns[k]));
                if (wanted.is_log) feature_scaling::signed_logs(values.data(), n, values.data());  // NaN stays NaN
                add_powers(values.data(), n, wanted.centre.data(), wanted.factor.data(), rounding,
                           static_cast<double>(weights[i]), sums.data());
            }
            for (Index k = 0; k < size; ++k) parts(part, k) += static_cast<Index>(k < n ? sums[k] : sums[k] * unit);
        }
    });
    auto total = Array<Index>::zeros(size);
    for (Index part = 0; part < n_parts; ++part)
        for (Index k = 0; k < size; ++k) total[k] += parts(part, k);
    return total;
}

}  // namespace directrank::column_moments

// Features on comparable scales, with missing values filled in; see matrix/feature_scaling.py.
#pragma once

#include "matrix/dense.hpp"
#include "thread_pool.hpp"

namespace directrank::feature_scaling {

// sign(x) log(1 + |x|) of finite values; NaN stays NaN. With u = 1 + |x|, rounded, log(1 + |x|) = log(u) |x| / (u - 1) to a few units in the
// last place, also where u has lost most digits of x (Higham 2002, section 1.14.1).
void signed_logs(const double* x, Index n, double* y);

// (value / divisor) of each value of a row, or `fill` where it is NaN.
void divide(const double* values, Index n, const double* divisor, const double* fill, double* scaled);

// What becomes of a row.
struct Scaling {
    Span<const Index> logs;  // columns whose signed logarithm is taken
    Span<const double> divisor, fill;
    Span<const Index> indicators;  // columns with an indicator of missing values after the others
};

template <class T>
void apply(const Dense<T>& X, const Scaling& scaling, Grid<T> scaled) {
    const Index n = X.columns(), n_logs = scaling.logs.size();
    for_each_block(X.rows(), 128, [&](Index first, Index last) {
        Array<double> row(n), logs(n_logs);
        for (Index i = first; i < last; ++i) {
            for (Index j = 0; j < n; ++j) row[j] = static_cast<double>(X(i, j));
            for (Index k = 0; k < n_logs; ++k) logs[k] = row[scaling.logs[k]];
            signed_logs(logs.data(), n_logs, logs.data());
            for (Index k = 0; k < n_logs; ++k) row[scaling.logs[k]] = logs[k];
            const Span<T> target = scaled[i];
            for (Index k = 0; k < scaling.indicators.size(); ++k) {
                const double value = row[scaling.indicators[k]];
                target[n + k] = value == value ? T{0} : T{1};
            }
            divide(row.data(), n, scaling.divisor.data(), scaling.fill.data(), row.data());
            for (Index j = 0; j < n; ++j) target[j] = static_cast<T>(row[j]);
        }
    });
}

}  // namespace directrank::feature_scaling

#include "matrix/spread.hpp"

#include <cmath>

#include "clones.hpp"

namespace directrank::spread {
namespace {

template <class T>
inline void divide(const T* row, Index stride, Index n, const double* units, double* __restrict scaled) {
    if (stride == 1)
        for (Index j = 0; j < n; ++j) scaled[j] = static_cast<double>(row[j]) / units[j];
    else
        for (Index j = 0; j < n; ++j) scaled[j] = static_cast<double>(row[j * stride]) / units[j];
}

}  // namespace

DIRECTRANK_CLONES
void scale(const float* row, Index stride, Index n, const double* units, double* scaled) { divide(row, stride, n, units, scaled); }

DIRECTRANK_CLONES
void scale(const double* row, Index stride, Index n, const double* units, double* scaled) { divide(row, stride, n, units, scaled); }

DIRECTRANK_CLONES
void add_to_means(const double* scaled, Index n, double size, double* __restrict means) {
    for (Index j = 0; j < n; ++j) means[j] += scaled[j] / size;
}

DIRECTRANK_CLONES
void add_deviations(const double* scaled, Index n, const double* means, double share, double* __restrict sizes,
                    double* __restrict squares, double* __restrict values) {
    for (Index j = 0; j < n; ++j) {
        const double value = scaled[j], deviation = std::abs(value - means[j]);
        sizes[j] += share * deviation;
        squares[j] += share * deviation * deviation;
        values[j] += share * std::abs(value);
    }
}

}  // namespace directrank::spread

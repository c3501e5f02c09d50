#include "learners/linear/spread.hpp"

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

template <int n_rows>
inline void means_of(const double* rows, Index n, double size, double* __restrict means) {
    for (Index j = 0; j < n; ++j) {
        double mean = means[j];
        for (int row = 0; row < n_rows; ++row) mean += rows[row * n + j] / size;
        means[j] = mean;
    }
}

template <int n_rows>
inline void deviations_of(const double* rows, Index n, const double* means, double share, double* __restrict sizes,
                          double* __restrict squares, double* __restrict values) {
    for (Index j = 0; j < n; ++j) {
        const double mean = means[j];
        double size = sizes[j], square = squares[j], total = values[j];
        for (int row = 0; row < n_rows; ++row) {
            const double value = rows[row * n + j], deviation = std::abs(value - mean);
            size += share * deviation;
            square += share * deviation * deviation;
            total += share * std::abs(value);
        }
        sizes[j] = size, squares[j] = square, values[j] = total;
    }
}

constexpr int TOGETHER = 4;

}  // namespace

DIRECTRANK_CLONES
void scale(const float* row, Index stride, Index n, const double* units, double* scaled) {
    divide(row, stride, n, units, scaled);
}

DIRECTRANK_CLONES
void scale(const double* row, Index stride, Index n, const double* units, double* scaled) {
    divide(row, stride, n, units, scaled);
}

DIRECTRANK_CLONES
void add_to_means(const double* rows, Index n_rows, Index n, double size, double* means) {
    Index row = 0;
    for (; row + TOGETHER <= n_rows; row += TOGETHER) means_of<TOGETHER>(rows + row * n, n, size, means);
    for (; row < n_rows; ++row) means_of<1>(rows + row * n, n, size, means);
}

DIRECTRANK_CLONES
void add_deviations(const double* rows, Index n_rows, Index n, const double* means, double share, double* sizes,
                    double* squares, double* values) {
    Index row = 0;
    for (; row + TOGETHER <= n_rows; row += TOGETHER)
        deviations_of<TOGETHER>(rows + row * n, n, means, share, sizes, squares, values);
    for (; row < n_rows; ++row) deviations_of<1>(rows + row * n, n, means, share, sizes, squares, values);
}

}  // namespace directrank::spread

#include "matrix/feature_scaling.hpp"

#include <cmath>

#include "clones.hpp"
#include "elementary.hpp"

namespace directrank::feature_scaling {

DIRECTRANK_CLONES
void signed_logs(const double* x, Index n, double* y) {
    for (Index i = 0; i < n; ++i) {
        const double size = std::abs(x[i]), above = 1.0 + size, grown = above - 1.0;
        const double corrected = logarithm(above) * (size / (grown > 0 ? grown : 1.0));
        y[i] = std::copysign(grown > 0 ? corrected : size, x[i]);
    }
}

DIRECTRANK_CLONES
void divide(const double* values, Index n, const double* divisor, const double* fill, double* scaled) {
    for (Index j = 0; j < n; ++j) {
        const double value = values[j], quotient = value / divisor[j];
        scaled[j] = value == value ? quotient : fill[j];
    }
}

}  // namespace directrank::feature_scaling

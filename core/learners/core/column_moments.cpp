#include "learners/core/column_moments.hpp"

#include "clones.hpp"

namespace directrank::column_moments {

DIRECTRANK_CLONES
void add_powers(const double* values, Index n, const double* centre, const double* factor, double rounding, double weight,
                double* sums) {
    double* const weights = sums;
    double* const first = sums + n;
    double* const second = sums + 2 * n;
    double* const third = sums + 3 * n;
    double* const fourth = sums + 4 * n;
    DIRECTRANK_INDEPENDENT
    for (Index k = 0; k < n; ++k) {
        const bool is_present = values[k] == values[k];
        const double x = is_present ? (values[k] - centre[k]) * factor[k] : 0.0, square = x * x;
        weights[k] += is_present ? weight : 0.0;
        first[k] += weight * ((x + rounding) - rounding);
        second[k] += weight * ((square + rounding) - rounding);
        third[k] += weight * ((square * x + rounding) - rounding);
        fourth[k] += weight * ((square * square + rounding) - rounding);
    }
}

}  // namespace directrank::column_moments

#include "elementary.hpp"

#include "clones.hpp"

namespace directrank::elementary {

DIRECTRANK_CLONES
void exponentials(const double* x, Index n, double* y) {
    for (Index i = 0; i < n; ++i) y[i] = exponential(x[i]);
}

DIRECTRANK_CLONES
void powers_of_2(const double* x, Index n, double* y) {
    for (Index i = 0; i < n; ++i) y[i] = power_of_2(x[i]);
}

DIRECTRANK_CLONES
void logarithms(const double* x, Index n, double* y) {
    for (Index i = 0; i < n; ++i) y[i] = logarithm(x[i]);
}

DIRECTRANK_CLONES
void binary_logarithms(const double* x, Index n, double* y) {
    for (Index i = 0; i < n; ++i) y[i] = binary_logarithm(x[i]);
}

}  // namespace directrank::elementary

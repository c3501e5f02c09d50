#include "learners/svm/bundle.hpp"

#include "clones.hpp"

namespace directrank::bundle {
namespace {

DIRECTRANK_CLONES
void add(double* __restrict total, double weight, const double* __restrict vector, Index n) {
    for (Index i = 0; i < n; ++i) total[i] += weight * vector[i];
}

}  // namespace

void add_multiple(Span<double> total, double weight, Span<const double> vector) {
    add(total.data(), weight, vector.data(), total.size());
}

}  // namespace directrank::bundle

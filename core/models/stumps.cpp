#include "models/stumps.hpp"

#include "clones.hpp"

namespace directrank::stumps {

DIRECTRANK_CLONES
void add_above(const double* values, double threshold, double weight, double* __restrict scores) {
    for (Index i = 0; i < BLOCK; ++i) scores[i] += values[i] > threshold ? weight : 0.0;
}

}  // namespace directrank::stumps

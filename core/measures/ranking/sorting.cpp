#include "measures/ranking/sorting.hpp"

namespace directrank::sorting {

DIRECTRANK_CLONES
void count_larger(const float* rough, Index n, std::int32_t* larger) {
    for (Index i = 0; i < n; ++i) larger[i] = 0;
    for (Index j = 0; j < n; j += 4) {
        const float a = rough[j], b = rough[j + 1], c = rough[j + 2], d = rough[j + 3];
        for (Index i = 0; i < n; ++i) {
            const float key = rough[i];
            larger[i] += (key < a) + (key < b) + (key < c) + (key < d);
        }
    }
}

}  // namespace directrank::sorting

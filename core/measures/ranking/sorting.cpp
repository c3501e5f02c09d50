#include "measures/ranking/sorting.hpp"

#include <limits>

#include "clones.hpp"

namespace directrank::sorting {

// Each key is compared with four others at a time, in lines padded with -inf, so that there is no scalar remainder.
DIRECTRANK_CLONES
void count_larger(const double* keys, Index n, std::int32_t* __restrict larger) {
    constexpr float INFINITE = std::numeric_limits<float>::infinity();
    alignas(64) float rough[BLOCK];
    const Index whole = (n + LINE - 1) / LINE * LINE;
    for (Index i = 0; i < n; ++i) rough[i] = keys[i] == keys[i] ? static_cast<float>(keys[i]) : -INFINITE;
    for (Index i = n; i < whole; ++i) rough[i] = -INFINITE;
    for (Index i = 0; i < whole; ++i) larger[i] = 0;
    for (Index j = 0; j < n; j += 4) {
        const float a = rough[j], b = rough[j + 1], c = rough[j + 2], d = rough[j + 3];
        for (Index i = 0; i < whole; ++i) {
            const float key = rough[i];
            larger[i] -= (key < a ? -1 : 0) + (key < b ? -1 : 0) + (key < c ? -1 : 0) + (key < d ? -1 : 0);
        }
    }
}

}  // namespace directrank::sorting

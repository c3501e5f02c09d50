#include "measures/pairs/pair_loop.hpp"

#include "clones.hpp"
#include "extremes.hpp"

namespace directrank::pair_loop {
namespace {

DIRECTRANK_CLONES
void write_exponentials(Index n, const double* scores, double highest, double* e) {
    for (Index i = 0; i < n; ++i) e[i] = exponential(scores[i] - highest);
}

}  // namespace

bool exponentials(Index n, const double* scores, double* e) {
    const double top = highest({scores, n});
    if (!(top - lowest({scores, n}) <= MAX_SCORE_SPREAD)) {  // or all are infinite
        std::copy(scores, scores + n, e);
        return true;
    }
    write_exponentials(n, scores, top, e);
    return false;
}

}  // namespace directrank::pair_loop

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

OddsKind exponentials(Index n, const double* scores, bool by_distance, double* e) {
    const double top = highest({scores, n}), bottom = lowest({scores, n});
    const bool is_spread = !(top - bottom <= MAX_SCORE_SPREAD);  // or all are infinite
    const bool has_distances = by_distance && top > bottom;
    if (!is_spread && !has_distances) {
        write_exponentials(n, scores, top, e);
        return OddsKind::RATIO;
    }
    std::copy(scores, scores + n, e);
    return has_distances ? OddsKind::DISTANCE : OddsKind::SPREAD;
}

}  // namespace directrank::pair_loop

#include "measures/pairs/pair_loop.hpp"

#include <limits>

#include "clones.hpp"

namespace directrank::pair_loop {

DIRECTRANK_CLONES
bool exponentials(Index n, const double* scores, double* e) {
    double highest[WIDTH], lowest[WIDTH];
    for (Index lane = 0; lane < WIDTH; ++lane) {
        highest[lane] = -std::numeric_limits<double>::infinity();
        lowest[lane] = std::numeric_limits<double>::infinity();
    }
    const Index whole = n - n % WIDTH;
    for (Index start = 0; start < whole; start += WIDTH) {
        DIRECTRANK_LANES
        for (Index lane = 0; lane < WIDTH; ++lane) {
            const double score = scores[start + lane];
            highest[lane] = score > highest[lane] ? score : highest[lane];
            lowest[lane] = score < lowest[lane] ? score : lowest[lane];
        }
    }
    for (Index i = whole; i < n; ++i) {
        highest[0] = scores[i] > highest[0] ? scores[i] : highest[0];
        lowest[0] = scores[i] < lowest[0] ? scores[i] : lowest[0];
    }
    const double top = *std::max_element(highest, highest + WIDTH), bottom = *std::min_element(lowest, lowest + WIDTH);
    if (!(top - bottom <= MAX_SCORE_SPREAD)) {  // or all are infinite
        std::copy(scores, scores + n, e);
        return true;
    }
    for (Index i = 0; i < n; ++i) e[i] = exponential(scores[i] - top);
    return false;
}

}  // namespace directrank::pair_loop

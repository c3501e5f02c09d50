#include "measures/violations/interleaving.hpp"

#include <limits>

#include "clones.hpp"

namespace directrank::interleaving {
namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();

// Number of places compared at a time.
constexpr Index WIDTH = 16;

// The other documents from `first` to before `end` have places from `lowest` to `highest`.
struct Range {
    Index first, end, lowest, highest;
};

// Objective of the j-th other document below k relevant ones; arrays are by k.
template <bool HAS_SLOPES>
struct Earned {
    const double *table, *slopes, *below;
    double gain, pairs, n_relevant, score;

    double operator()(Index i, double k) const {
        const double loss = HAS_SLOPES ? gain * ((k + 1) * slopes[i] + table[i]) : gain * table[i];
        return loss - pairs * (below[i] - (n_relevant - k) * score);
    }
};

// The best place from `lowest` to `highest`, the first of several.
template <class Earned>
inline Index best_place(const Earned& earned, Index lowest, Index highest) {
    Index best = lowest, k = lowest;
    double most = -INFINITE;
    if (highest - lowest >= 2 * WIDTH) {
        double lane_highest[WIDTH], lane_place[WIDTH];
        for (Index lane = 0; lane < WIDTH; ++lane) lane_highest[lane] = -INFINITE, lane_place[lane] = 0;
        for (; k + WIDTH <= highest + 1; k += WIDTH) {
            const auto first = static_cast<double>(k);
            for (Index lane = 0; lane < WIDTH; ++lane) {
                const double place = first + static_cast<double>(lane), value = earned(k + lane, place);
                lane_place[lane] = value > lane_highest[lane] ? place : lane_place[lane];
                lane_highest[lane] = value > lane_highest[lane] ? value : lane_highest[lane];
            }
        }
        for (Index lane = 0; lane < WIDTH; ++lane) {
            const auto place = static_cast<Index>(lane_place[lane]);
            if (lane_highest[lane] > most || (lane_highest[lane] == most && most > -INFINITE && place < best))
                most = lane_highest[lane], best = place;
        }
    }
    for (; k <= highest; ++k) {
        const double value = earned(k, static_cast<double>(k));
        if (value > most) most = value, best = k;
    }
    return best;
}

template <bool HAS_SLOPES>
inline void place_all(const double* others, Index n_others, Index n_relevant, const double* below, double gain,
                      const double* table, const double* slopes, Index* places) {
    const double pairs = 2.0 / static_cast<double>(n_relevant * n_others);
    Range todo[64];  // each step halves a range and leaves one half for later
    Index n_todo = n_others > 0;
    todo[0] = {0, n_others, 0, n_relevant};
    while (n_todo > 0) {
        const auto [first, end, lowest, highest] = todo[--n_todo];
        if (lowest == highest) {
            for (Index i = first; i < end; ++i) places[i] = lowest;
            continue;
        }
        const Index middle = (first + end) / 2;
        const Earned<HAS_SLOPES> earned{table + middle + 1, HAS_SLOPES ? slopes + middle : nullptr, below, gain, pairs,
                                        static_cast<double>(n_relevant), others[middle]};
        const Index best = best_place(earned, lowest, highest);
        places[middle] = best;
        if (first < middle) todo[n_todo++] = {first, middle, lowest, best};
        if (middle + 1 < end) todo[n_todo++] = {middle + 1, end, best, highest};
    }
}

DIRECTRANK_CLONES
void place_by_table(const double* others, Index n_others, Index n_relevant, const double* below, double gain,
                    const double* table, Index* places) {
    place_all<false>(others, n_others, n_relevant, below, gain, table, nullptr, places);
}

DIRECTRANK_CLONES
void place_by_slopes(const double* others, Index n_others, Index n_relevant, const double* below, double gain,
                     const double* table, const double* slopes, Index* places) {
    place_all<true>(others, n_others, n_relevant, below, gain, table, slopes, places);
}

}  // namespace

void most_violated_places(Span<const double> relevant, Span<const double> others, const Loss& loss, Span<Index> places) {
    const Scratch<double> below(relevant.size() + 1);  // sum of the scores of the relevant documents from k on
    below[relevant.size()] = 0;
    for (Index k = relevant.size() - 1; k >= 0; --k) below[k] = below[k + 1] + relevant[k];
    if (loss.slopes.empty())
        place_by_table(others.data(), others.size(), relevant.size(), below.data(), loss.gain, loss.table.data(),
                       places.data());
    else
        place_by_slopes(others.data(), others.size(), relevant.size(), below.data(), loss.gain, loss.table.data(),
                        loss.slopes.data(), places.data());
}

}  // namespace directrank::interleaving

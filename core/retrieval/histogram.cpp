#include "retrieval/histogram.hpp"

#include <algorithm>
#include <cstdint>

#include "clones.hpp"
#include "lanes.hpp"

namespace directrank::histogram {
namespace {

// Number of values binned at once.
constexpr Index CHUNK = 256;

// Number of interleaved histograms, so that increments of one bin do not wait for each other.
constexpr Index TURNS = 4;

// Writes the bins of CHUNK values.
DIRECTRANK_CLONES
void find_bins(const double* values, double low, double scale, std::int32_t* bins) {
    for (Index k = 0; k < CHUNK; ++k) {
        const auto bin = static_cast<std::int32_t>((values[k] - low) * scale);
        bins[k] = bin < 0 ? 0 : bin > Bins::COUNT - 1 ? Bins::COUNT - 1 : bin;
    }
}

}  // namespace

DIRECTRANK_CLONES
Bins bins_of(const double* values, Index n) {
    double low[LANES], high[LANES];
    for (int lane = 0; lane < LANES; ++lane) low[lane] = high[lane] = values[0];
    const auto take = [&](int lane, double value) {
        low[lane] = value < low[lane] ? value : low[lane], high[lane] = value > high[lane] ? value : high[lane];
    };
    const Index whole = n - n % LANES;
    for (Index start = 0; start < whole; start += LANES)
        for (int lane = 0; lane < LANES; ++lane) take(lane, values[start + lane]);
    for (Index k = whole; k < n; ++k) take(0, values[k]);
    return {*std::min_element(low, low + LANES), *std::max_element(high, high + LANES)};
}

Index top_bin(const double* values, Index n, const Bins& bins, Index depth) {
    std::int32_t counts[TURNS][Bins::COUNT] = {}, found[CHUNK];
    const Index whole = n - n % CHUNK;
    for (Index start = 0; start < whole; start += CHUNK) {
        find_bins(values + start, bins.low, bins.scale, found);
        for (Index k = 0; k < CHUNK; k += TURNS)
            for (Index turn = 0; turn < TURNS; ++turn) ++counts[turn][found[k + turn]];
    }
    if (whole < n) {
        double last[CHUNK];
        std::fill(std::copy(values + whole, values + n, last), last + CHUNK, bins.low);
        find_bins(last, bins.low, bins.scale, found);
        for (Index k = 0; k < n - whole; ++k) ++counts[k % TURNS][found[k]];
    }
    Index bin = Bins::COUNT;
    for (Index n_best = 0; n_best < depth && bin > 0;) {
        --bin;
        for (const auto& each : counts) n_best += each[bin];
    }
    return bin;
}

}  // namespace directrank::histogram

#include "radix_sort.hpp"

#include "clones.hpp"
#include "lanes.hpp"

namespace directrank::radix_sort {
namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();

DIRECTRANK_CLONES
void find_extremes(const double* keys, Index n, double& lowest, double& highest) {
    double low[LANES], high[LANES];
    for (int lane = 0; lane < LANES; ++lane) low[lane] = INFINITE, high[lane] = -INFINITE;
    const Index whole = n - n % LANES;
    for (Index i = 0; i < whole; i += LANES)
        for (int lane = 0; lane < LANES; ++lane) {
            const double key = keys[i + lane];
            low[lane] = key < low[lane] && key > -INFINITE ? key : low[lane];
            high[lane] = key > high[lane] && key < INFINITE ? key : high[lane];
        }
    for (Index i = whole; i < n; ++i) {
        low[0] = keys[i] < low[0] && keys[i] > -INFINITE ? keys[i] : low[0];
        high[0] = keys[i] > high[0] && keys[i] < INFINITE ? keys[i] : high[0];
    }
    lowest = *std::min_element(low, low + LANES);
    highest = *std::max_element(high, high + LANES);
}

DIRECTRANK_CLONES
void write_steps(const double* __restrict keys, Index n, double highest, double scale, double last,
                 Numbered* __restrict numbered) {
    for (Index i = 0; i < n; ++i) {
        double step = (highest - keys[i]) * scale + 1;
        step = step < last ? step : last;
        step = step > 0 ? step : 0;
        numbered[i] = static_cast<std::uint64_t>(static_cast<std::int64_t>(step)) << 32 | static_cast<std::uint64_t>(i);
    }
}

}  // namespace

Extremes extremes(Span<const double> keys) {
    Extremes found;
    find_extremes(keys.data(), keys.size(), found.lowest, found.highest);
    return found;
}

bool number_steps(Span<const double> keys, const Extremes& finite, int n_bits, Span<Numbered> numbered) {
    const auto last = static_cast<double>((Index{1} << n_bits) - 1);
    const bool differ = finite.lowest < finite.highest;
    const double scale = differ ? (last - 2) / (finite.highest - finite.lowest) : 1;
    if (!(scale > 0 && scale < INFINITE)) return false;
    const double highest = finite.lowest <= finite.highest ? finite.highest : 0;  // 0 if none is finite
    write_steps(keys.data(), keys.size(), highest, scale, last, numbered.data());
    return true;
}

}  // namespace directrank::radix_sort

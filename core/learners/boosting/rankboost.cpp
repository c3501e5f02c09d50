#include "learners/boosting/rankboost.hpp"

#include "clones.hpp"
#include "elementary.hpp"
#include "scratch.hpp"

namespace directrank::rankboost {
namespace {

// Sums of e^H and e^-H over the documents of each level, of e^H over all lower levels, and of e^-H over all higher ones.
struct Sums {
    Span<double> up, down, lower, higher;
};

DIRECTRANK_CLONES
void exponentials(const double* H, Index n, double centre, double* e, double* inverse) {
    for (Index i = 0; i < n; ++i) e[i] = exponential(H[i] - centre), inverse[i] = 1 / e[i];
}

// The sums must be 0 on entry.
double fill_in(Span<const double> H, Span<const std::int32_t> level, double weight, const Sums& sums,
               Span<double> potential) {
    const Index n = H.size(), n_levels = sums.up.size();
    double highest = H[0], lowest = H[0];
    for (const double score : H) highest = std::max(highest, score), lowest = std::min(lowest, score);
    const double centre = (highest + lowest) / 2;  // only differences count: keep the exponents small
    constexpr Index BLOCK = 256;
    double inverse[BLOCK];
    for (Index start = 0; start < n; start += BLOCK) {
        const Index end = std::min(start + BLOCK, n);
        exponentials(H.data() + start, end - start, centre, potential.data() + start, inverse);
        for (Index i = start; i < end; ++i) {
            sums.up[level[i]] += potential[i];
            sums.down[level[i]] += inverse[i - start];
        }
    }
    for (Index l = 1; l < n_levels; ++l) {
        sums.lower[l] = sums.lower[l - 1] + sums.up[l - 1];
        sums.higher[n_levels - 1 - l] = sums.higher[n_levels - l] + sums.down[n_levels - l];
    }
    for (Index i = 0; i < n; ++i) {
        const double e = potential[i];
        potential[i] = weight * (sums.lower[level[i]] / e - sums.higher[level[i]] * e);
    }
    double total = 0;
    for (Index l = 0; l < n_levels; ++l) total += sums.down[l] * sums.lower[l];
    return total;
}

}  // namespace

double potentials(Span<const double> H, Span<const std::int32_t> level, double weight, Span<double> potential) {
    if (H.empty()) return 0;
    const Index n_levels = Index{*std::max_element(level.begin(), level.end())} + 1;
    const Scratch<double> memory(4 * n_levels);
    std::fill_n(memory.data(), memory.size(), 0.0);
    const auto row = [&](Index i) { return memory.slice(i * n_levels, (i + 1) * n_levels); };
    return fill_in(H, level, weight, {row(0), row(1), row(2), row(3)}, potential);
}

}  // namespace directrank::rankboost

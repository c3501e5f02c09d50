#include "measures/violations/labelling.hpp"

#include <limits>

#include "clones.hpp"
#include "lanes.hpp"

namespace directrank::labelling {
namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();

constexpr int N_STEPS = 2048;

DIRECTRANK_CLONES
void write_keys(const double* scores, const bool* relevant, Index n, double n_relevant, double* keys) {
    const auto n_documents = static_cast<double>(n);
    for (Index i = 0; i < n; ++i) keys[i] = 2 * scores[i] / n_documents - (relevant[i] ? 1.0 : 0.0) / n_relevant;
}

DIRECTRANK_CLONES
double highest_of(const double* keys, Index n) {
    return highest_in_lanes(n, [=](Index i) { return keys[i]; });
}

DIRECTRANK_CLONES
double lowest_of(const double* keys, Index n) {
    return -highest_in_lanes(n, [=](Index i) { return -keys[i]; });
}

// Writes by how many steps of equal size each key is below the highest.
DIRECTRANK_CLONES
void write_steps(const double* keys, Index n, double highest, double scale, std::int32_t* steps) {
    for (Index i = 0; i < n; ++i) {
        const double below = (highest - keys[i]) * scale;
        steps[i] = static_cast<std::int32_t>(below < N_STEPS - 1 ? below : N_STEPS - 1);
    }
}

void mark_first(Span<const Index> order, Index count, Span<bool> marked) {
    for (const Index document : order.slice(0, count)) marked[document] = true;
}

}  // namespace

// Only the step that the last marked one is in need be sorted, if keys are not too far apart for steps.
void mark_highest(Span<const double> keys, Index count, Span<bool> marked) {
    std::fill(marked.begin(), marked.end(), false);
    const Index n = keys.size();
    const Scratch<Index> order(n);
    const double highest = highest_of(keys.data(), n), scale = (N_STEPS - 1) / (highest - lowest_of(keys.data(), n));
    if (n <= sorting::BLOCK || !(scale > 0 && scale < INFINITE)) {
        sorting::descending_order(keys, order);
        return mark_first(order, count, marked);
    }
    Array<std::int32_t> steps(n);
    write_steps(keys.data(), n, highest, scale, steps.data());
    Index n_of_step[N_STEPS] = {};
    for (const std::int32_t step : steps) ++n_of_step[step];
    std::int32_t last = 0;
    Index missing = count;
    for (; missing > n_of_step[last]; ++last) missing -= n_of_step[last];
    Array<double> keys_of_last(n_of_step[last]);
    Array<Index> documents(n_of_step[last]);
    Index n_last = 0;
    for (Index i = 0; i < n; ++i) {
        marked[i] = steps[i] < last;
        if (steps[i] == last) keys_of_last[n_last] = keys[i], documents[n_last++] = i;
    }
    sorting::descending_order(keys_of_last, order.slice(0, n_last));
    for (Index i = 0; i < missing; ++i) marked[documents[order[i]]] = true;
}

double as_many(Span<const double> scores, Span<const bool> relevant, Span<double> coefficients) {
    const Index n = scores.size();
    Index n_relevant = 0, found = 0;
    for (const bool one : relevant) n_relevant += one;
    if (n_relevant == 0 || n_relevant == n) return interleaving::no_violation(coefficients);
    const Scratch<double> keys(n);
    const Scratch<bool> labelled(n);
    write_keys(scores.data(), relevant.data(), n, static_cast<double>(n_relevant), keys.data());
    mark_highest(keys, n_relevant, labelled);
    const double share = 2.0 / static_cast<double>(n);
    for (Index i = 0; i < n; ++i) {
        coefficients[i] = (relevant[i] ? share : 0.0) - (labelled[i] ? share : 0.0);
        found += relevant[i] && labelled[i];
    }
    return static_cast<double>(n_relevant - found) / static_cast<double>(n_relevant);
}

}  // namespace directrank::labelling

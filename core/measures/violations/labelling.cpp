#include "measures/violations/labelling.hpp"

#include <limits>

#include "clones.hpp"
#include "extremes.hpp"
#include "measures/ranking/ties.hpp"
#include "scratch.hpp"

namespace directrank::labelling {
namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();

// Number of steps of equal width in the histogram of keys.
constexpr int N_STEPS = 2048;

DIRECTRANK_CLONES
void write_keys(const double* scores, const bool* relevant, Index n, double n_relevant, double* keys) {
    const double n_documents = static_cast<double>(n), loss = 1 / n_relevant;
    for (Index i = 0; i < n; ++i) keys[i] = 2 * scores[i] / n_documents - (relevant[i] ? loss : 0.0);
}

// Returns the number of relevant documents that are labelled.
DIRECTRANK_CLONES
Index write_coefficients(const bool* relevant, const bool* labelled, Index n, double* coefficients) {
    const double share = 2.0 / static_cast<double>(n);
    Index found = 0;
    for (Index i = 0; i < n; ++i) {
        coefficients[i] = share * static_cast<double>(int{relevant[i]} - int{labelled[i]});
        found += int{relevant[i]} & int{labelled[i]};
    }
    return found;
}

// Writes by how many steps of equal size each key is below the highest.
DIRECTRANK_CLONES
void write_steps(const double* keys, Index n, double highest, double scale, std::uint16_t* steps) {
    for (Index i = 0; i < n; ++i) {
        const double below = (highest - keys[i]) * scale;
        steps[i] = static_cast<std::uint16_t>(below < N_STEPS - 1 ? below : N_STEPS - 1);
    }
}

void mark_by_sorting(Span<const double> keys, Index count, Span<bool> marked) {
    const interleaving::Order order(keys);
    std::fill(marked.begin(), marked.end(), false);
    for (const Index document : order.documents.slice(0, count)) marked[document] = true;
}

// Counting the larger keys is enough unless the last document to mark is tied, in single precision, with others.
void mark_short(Span<const double> keys, Index count, Span<bool> marked) {
    alignas(64) std::int32_t larger[sorting::BLOCK];
    sorting::count_larger(keys.data(), keys.size(), larger);
    Index n_marked = 0;
    for (Index i = 0; i < keys.size(); ++i) {
        marked[i] = larger[i] < count;
        n_marked += marked[i];
    }
    if (n_marked != count) mark_by_sorting(keys, count, marked);
}

}  // namespace

// Keys are counted in steps of equal width, as in a histogram: only the step of the last document to mark need be sorted.
void mark_highest(Span<const double> keys, Index count, Span<bool> marked) {
    const Index n = keys.size();
    if (n <= sorting::BLOCK) return mark_short(keys, count, marked);
    const double top = highest(keys), scale = (N_STEPS - 1) / (top - lowest(keys));
    if (!(scale > 0 && scale < INFINITE)) return mark_by_sorting(keys, count, marked);
    Array<std::uint16_t> steps(n);
    write_steps(keys.data(), n, top, scale, steps.data());
    Index step_counts[N_STEPS] = {};
    for (const std::uint16_t step : steps) ++step_counts[step];
    int last = 0;
    Index missing = count;
    for (; missing > step_counts[last]; ++last) missing -= step_counts[last];
    Array<double> last_keys(step_counts[last]);
    Array<Index> documents(step_counts[last]);
    Index n_last = 0;
    for (Index i = 0; i < n; ++i) {
        marked[i] = steps[i] < last;
        if (steps[i] == last) last_keys[n_last] = keys[i], documents[n_last++] = i;
    }
    const Array<Index> order = sorting::descending_order(last_keys.span());
    for (Index i = 0; i < missing; ++i) marked[documents[order[i]]] = true;
}

double break_even(Span<const double> scores, Span<const bool> relevant, Span<double> coefficients) {
    const Index n = scores.size();
    const Index n_relevant = ties::count(relevant);
    if (n_relevant == 0 || n_relevant == n) return interleaving::no_violation(coefficients);
    const Scratch<bool> labelled(n);
    const auto keys = coefficients;  // in the same memory, as they are needed only until the coefficients are known
    write_keys(scores.data(), relevant.data(), n, static_cast<double>(n_relevant), keys.data());
    mark_highest(keys, n_relevant, labelled);
    const Index found = write_coefficients(relevant.data(), labelled.data(), n, coefficients.data());
    return static_cast<double>(n_relevant - found) / static_cast<double>(n_relevant);
}

}  // namespace directrank::labelling

// Reciprocal rank and expected reciprocal rank of one query; the definitions are in measures/reciprocal_rank.py.
#pragma once

#include "measures/ranking/partial.hpp"
#include "measures/ranking/ties.hpp"
#include "scratch.hpp"
#include "span.hpp"

namespace directrank::reciprocal_rank {

// The first relevant document: the number of documents above it, and those tied with it, all and relevant; none if `relevant` is 0.
struct First {
    Index above, tied, relevant;
};
First find_first(Span<const double> scores, Span<const bool> relevant);

// Mean over the orders of the tie group of the first relevant document, place by place.
inline double value(Span<const double> scores, Span<const bool> relevant, Index k) {
    const First first = find_first(scores, relevant);
    if (first.relevant == 0) return 0;
    const auto r = static_cast<double>(first.relevant);
    double total = 0, none_yet = 1;
    for (Index i = 0; i < std::min(first.tied, k - first.above); ++i) {
        const auto left = static_cast<double>(first.tied - i);
        total += none_yet * r / left / static_cast<double>(first.above + i + 1);
        none_yet *= (left - r) / left;
    }
    return total;
}

// Writes the probability to read on past the first 0, 1, ... places of a tie group, over all its orders; gives how many are written.
Index mean_going_on(Span<const double> stop, Span<double> means);

// Expected reciprocal rank; the user stops at each document with probability `stop`.
inline double expected(Span<const double> scores, Span<const double> stop, Index k) {
    const partial::Ranked<double> top(scores, stop, k);
    const Index last = std::min(ties::ranked_end(top.scores), k);
    double total = 0, reading = 1;
    for (Index start = 0, end = 0; start < last && reading > 0; start = end) {
        end = ties::group_end(top.scores, start);
        if (end == start + 1) {
            total += reading * top.values[start] / static_cast<double>(end);
            reading *= 1 - top.values[start];
            continue;
        }
        const Scratch<double> going_on(std::min(end, last) - start + 1);
        const Index n = mean_going_on(top.values.slice(start, end), going_on);
        for (Index i = 0; i + 1 < n; ++i)
            total += reading * (going_on[i] - going_on[i + 1]) / static_cast<double>(start + i + 1);
        for (Index i = start; i < end; ++i) reading *= 1 - top.values[i];
    }
    return total;
}

// Writes the lambdas of expected reciprocal rank; documents of equal score are taken in the worst order, those of equal grade share
// their sums.
//
// With the probabilities R to stop, a swap of ranks a < b changes ERR by
//
//     P_a (R_b - R_a) (h(a) - M - Q h(b))
//
// P_a is the probability to reach a, and h(r) = 1/r up to k. For a user who goes on at a, M is what the ranks between are worth and
// Q the probability to pass them all.
void expected_lambdas(Span<const double> scores, Span<const double> grades, Span<const double> stop, Index k,
                      Span<double> gradient, Span<double> hessian);

}  // namespace directrank::reciprocal_rank

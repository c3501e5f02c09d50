// The most violated labelling of one query, for measures of its contingency table.
//
// Psi is defined in measures/violations/labelling.py. Coefficients of documents represent Psi(y*) - Psi(y^), the right
// labelling minus the most violated one.
#pragma once

#include <limits>

#include "measures/violations/interleaving.hpp"
#include "span.hpp"

namespace directrank::labelling {

// Marks the `count` documents with the highest keys; the first of equal keys.
void mark_highest(Span<const double> keys, Index count, Span<bool> marked);

// For the precision-recall break-even point, where R documents are labelled for R relevant ones: those with the highest
// 2 s_i/n - 1[relevant]/R. Returns the loss.
double break_even(Span<const double> scores, Span<const bool> relevant, Span<double> coefficients);

// For a ratio gain a / (own a + wanted R + b): labels the a relevant and the b other documents with the highest scores, for
// the best a and b. Returns the loss.
//
// For each a the objective is concave in b, so hill climbing finds the best b. For the Jaccard index the best b never
// decreases as a increases; for F it increases as long as it is large relative to a, and may decrease after that. So b goes
// up once and down once.
inline double ratio(Span<const double> scores, Span<const bool> is_relevant, double gain, double own, double wanted,
                    Span<double> coefficients) {
    interleaving::no_violation(coefficients);
    const interleaving::Split split(scores, is_relevant);
    const auto relevant = split.relevant_scores(), others = split.other_scores();
    if (relevant.empty()) return 0;
    const double share = 2 / static_cast<double>(scores.size()), all_wanted = wanted * static_cast<double>(relevant.size());
    double value = 0;  // of labelling a and b: 2/n times the sum of their scores
    double best_value = -std::numeric_limits<double>::infinity();
    Index b = 0, best_a = 0, best_b = 0;
    for (Index a = 0; a <= relevant.size(); ++a) {
        if (a > 0) value += share * relevant[a - 1];
        const double found = gain * static_cast<double>(a), divisor = own * static_cast<double>(a) + all_wanted;
        const auto ratio_with = [&](Index b) { return found / (divisor + static_cast<double>(b)); };
        double here = ratio_with(b);
        for (double next; b < others.size() && share * others[b] >= (next = ratio_with(b + 1)) - here; here = next)
            value += share * others[b++];
        for (double next; b > 0 && share * others[b - 1] < here - (next = ratio_with(b - 1)); here = next)
            value -= share * others[--b];
        if (1 - here + value > best_value) best_value = 1 - here + value, best_a = a, best_b = b;
    }
    for (const Index document : split.relevant().slice(best_a, relevant.size())) coefficients[document] = share;
    for (const Index document : split.others().slice(0, best_b)) coefficients[document] = -share;
    return 1 - gain * static_cast<double>(best_a) /
                   (own * static_cast<double>(best_a) + all_wanted + static_cast<double>(best_b));
}

}  // namespace directrank::labelling

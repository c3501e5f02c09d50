// A soft ranking of one query, its documents by descending score; definitions and derivatives are in
// measures/smoothing/soft_ranking.py.
#pragma once

#include "span.hpp"

namespace directrank::soft_ranking {

// Documents with scores within `reach` of a rank's score: from `first` to before `end`.
struct Window {
    Index first = 0, end = 0;

    // Moves down to a rank. Written so that infinite scores, whose difference is NaN, are within reach of each other.
    void move_to(Index rank, Span<const double> scores, double reach) {
        while (scores[first] - scores[rank] > reach) ++first;
        while (end < scores.size() && !(scores[rank] - scores[end] > reach)) ++end;
    }
};

// Writes p_r and the sum of weights, sum_k e^(-u_kr^2/2), of the first ranks.
void smooth(Span<const double> scores, Span<const double> gains, double sigma, double reach, Span<double> expected,
            Span<double> totals);

// Writes the derivative by each score of a value whose derivative by p_r is slopes[r], from the results of `smooth`.
void differentiate(Span<const double> scores, Span<const double> gains, double sigma, double reach,
                   Span<const double> expected, Span<const double> totals, Span<const double> slopes,
                   Span<double> gradient);

}  // namespace directrank::soft_ranking

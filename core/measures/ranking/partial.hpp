// Parts of one query's ranking, for measures that need only the top, or the ranks of few documents.
//
// Scores are compared in single precision, with twice as many to a vector: rounding may make scores equal, but never changes
// their order.
#pragma once

#include "measures/ranking/sorting.hpp"
#include "span.hpp"

namespace directrank::partial {

// The cut-off up to which the top is found without sorting the query; finding it takes time quadratic in the cut-off.
constexpr Index MAX_DEPTH_OF_TOP = 256;

// Finds a superset of the first `depth` documents of the ranking and all documents tied with the last of them. Writes their
// numbers, ascending, and returns how many; -1 if there are too many to be worthwhile.
Index find_top(Span<const double> scores, Index depth, Span<std::int32_t> documents);

// A query's scores and values by descending score, stably: views of the arrays given if they are ranked already, else of its
// own.
template <class Value>
class Ranked {
  public:
    Ranked(Span<const double> unranked_scores, Span<const Value> unranked_values)
        : scores(unranked_scores), values(unranked_values) {
        if (!sorting::is_ranked(scores)) sort(scores, values);
    }

    // The top of the ranking: its first `depth` ranks and all documents tied with the last of them; some of the others may
    // follow.
    Ranked(Span<const double> unranked_scores, Span<const Value> unranked_values, Index depth)
        : scores(unranked_scores), values(unranked_values) {
        if (sorting::is_ranked(scores)) return;
        std::int32_t top[4 * MAX_DEPTH_OF_TOP];
        const Index n = find_top(scores, depth, {top, 4 * MAX_DEPTH_OF_TOP});
        if (n < 0) {
            sort(scores, values);
            return;
        }
        double top_scores[4 * MAX_DEPTH_OF_TOP];
        Value top_values[4 * MAX_DEPTH_OF_TOP];
        for (Index i = 0; i < n; ++i) top_scores[i] = scores[top[i]], top_values[i] = values[top[i]];
        sort({top_scores, n}, {top_values, n});
    }

    Ranked(const Ranked&) = delete;
    Ranked& operator=(const Ranked&) = delete;

    Span<const double> scores;
    Span<const Value> values;

  private:
    void sort(Span<const double> unsorted_scores, Span<const Value> unsorted_values) {
        const Index n = unsorted_scores.size();
        if (n > sorting::BLOCK) long_scores_ = Array<double>(n), long_values_ = Array<Value>(n);
        const Span<double> sorted_scores = {n > sorting::BLOCK ? long_scores_.data() : short_scores_, n};
        const Span<Value> sorted_values = {n > sorting::BLOCK ? long_values_.data() : short_values_, n};
        sorting::sort_descending<Value>(unsorted_scores, unsorted_values, sorted_scores, sorted_values);
        scores = sorted_scores, values = sorted_values;
    }

    double short_scores_[sorting::BLOCK];
    Value short_values_[sorting::BLOCK];
    Array<double> long_scores_;
    Array<Value> long_values_;
};

// Largest number of documents whose ranks are counted.
constexpr Index MAX_FEW = sorting::BLOCK / 3;

// Writes the ranks of the documents flagged in `few`, ascending from 1; false if their number is not that of `ranks`, or any
// of them is tied or has no rank.
bool ranks_of_few(Span<const double> scores, Span<const bool> few, Span<Index> ranks);

}  // namespace directrank::partial

// What a measure needs of one query's ranking, where that is less than all of it: the top, or the ranks of few documents.
//
// Scores are compared in single precision, of which a vector holds twice as many: rounding may make scores equal, but never
// changes their order.
#pragma once

#include "measures/ranking/sorting.hpp"
#include "span.hpp"

namespace directrank::partial {

// A query's scores and values by rank: views of the arrays given, or of arrays of its own.
template <class Value>
struct Ranked {
    Span<const double> scores;
    Span<const Value> values;
    Array<double> own_scores{};
    Array<Value> own_values{};
};

// Scores and values by descending score, stably; as they are, if they are ranked already.
template <class Value>
Ranked<Value> ranked_query(Span<const double> scores, Span<const Value> values) {
    Ranked<Value> ranked{scores, values};
    if (sorting::is_ranked(scores)) return ranked;
    ranked.own_scores = Array<double>(scores.size());
    ranked.own_values = Array<Value>(scores.size());
    sorting::sort_descending<Value>(scores, values, ranked.own_scores, ranked.own_values);
    ranked.scores = ranked.own_scores, ranked.values = ranked.own_values;
    return ranked;
}

// The cut-off up to which the top is found without sorting the query; finding it takes time quadratic in the cut-off.
constexpr Index MAX_DEPTH_OF_TOP = 256;

// The highest score at or above which `depth` of the parts have their highest one.
float high_score(Span<const float> rough, Index n_parts, Index depth);

// Ranks a query, but of the documents below rank `depth`, and below all that are tied with it, only some.
//
// Of 2 depth or more parts of the query, each with a highest score, `depth` parts have one at or above a threshold. What is below
// it has at least `depth` above it and need not be sorted.
template <class Value>
Ranked<Value> ranked_top(Span<const double> scores, Span<const Value> values, Index depth) {
    if (depth > MAX_DEPTH_OF_TOP) return ranked_query(scores, values);
    Index n_parts = 16;
    while (n_parts < 2 * depth) n_parts *= 2;
    const Index n = scores.size();
    if (n < 2 * n_parts || sorting::is_ranked(scores)) return ranked_query(scores, values);
    Array<float> rough(n);
    for (Index i = 0; i < n; ++i) rough[i] = static_cast<float>(scores[i]);
    const float threshold = high_score(rough, n_parts, depth);
    Index n_above = 0;
    for (const float key : rough) n_above += key >= threshold;
    if (n_above > 4 * depth) return ranked_query(scores, values);
    Ranked<Value> top{{}, {}, Array<double>(n_above), Array<Value>(n_above)};
    Index size = 0;
    for (Index i = 0; i < n; ++i) {
        if (rough[i] < threshold) continue;
        Index at = size++;
        for (; at > 0 && top.own_scores[at - 1] < scores[i]; --at)
            top.own_scores[at] = top.own_scores[at - 1], top.own_values[at] = top.own_values[at - 1];
        top.own_scores[at] = scores[i], top.own_values[at] = values[i];
    }
    top.scores = top.own_scores, top.values = top.own_values;
    return top;
}

// The ranks of the `count` documents that are flagged, ascending from 1; none if any is tied or has no rank.
//
// A document that has p of the few above it is above the next of them, and at or above the p-th it has all documents with less than
// p of the few above them.
Array<Index> ranks_of_few(Span<const double> scores, Span<const bool> few, Index count);

}  // namespace directrank::partial

// The postings of all terms, with their impacts.
#pragma once

#include <algorithm>
#include <cstdint>

#include "span.hpp"

namespace directrank::postings {

using Document = std::int32_t;

// Arrays, checked by whoever makes this, and their bounds.
struct Postings {
    Index n_documents;
    // Term t has the documents, which ascend, and impacts from `starts[t]` to before `starts[t + 1]`.
    Span<const Index> starts;
    Span<const Document> documents;
    Span<const float> impacts;
    // The tables of common terms; `row` has the number of each term's table, or -1.
    Span<const std::int32_t> row;
    Grid<const std::uint64_t> bits;
    Grid<const std::int32_t> before;
    // p(d) of each document; empty if all are 0.
    Span<const double> own;
    double own_low = 0, own_high = 0;
    // The lowest and the highest of 0 and the impacts of each term.
    Array<float> lowest{}, highest{};

    // Computes the lowest and highest values.
    void compute_bounds() {
        if (!own.empty()) {
            own_low = *std::min_element(own.begin(), own.end());
            own_high = *std::max_element(own.begin(), own.end());
        }
        const Index n_terms = starts.size() - 1;
        lowest = Array<float>(n_terms), highest = Array<float>(n_terms);
        for (Index term = 0; term < n_terms; ++term) {
            float low = 0, high = 0;
            for (const float impact : impacts_of(term)) low = std::min(low, impact), high = std::max(high, impact);
            lowest[term] = low, highest[term] = high;
        }
    }

    Index n_postings(Index term) const { return starts[term + 1] - starts[term]; }
    Span<const Document> documents_of(Index term) const { return documents.slice(starts[term], starts[term + 1]); }
    Span<const float> impacts_of(Index term) const { return impacts.slice(starts[term], starts[term + 1]); }
    // |q| p(d) of a query of this length.
    double own_part(double length, Index document) const { return own.empty() ? 0.0 : length * own[document]; }
};

// Terms, their weights, and the length of a query.
struct Query {
    Span<const Index> terms;
    Span<const double> weights;
    double length;
};

}  // namespace directrank::postings

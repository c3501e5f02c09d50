// Postings of all terms, with their impacts.
#pragma once

#include <algorithm>
#include <cstdint>

#include "span.hpp"

namespace directrank::postings {

using Document = std::int32_t;

// Arrays, which the caller has checked, and bounds on the impacts.
struct Postings {
    Index n_documents;
    // Term t has ascending documents and impacts [starts[t], starts[t + 1]).
    Span<const Index> starts;
    Span<const Document> documents;
    Span<const float> impacts;
    // Bit vectors of common terms; `row` has the index of each term's bit vector, or -1.
    Span<const std::int32_t> row;
    Grid<const std::uint64_t> bits;
    Grid<const std::int32_t> before;
    // p(d) of each document; empty if all are 0.
    Span<const double> own;
    double own_low = 0, own_high = 0;
    // Minimum and maximum of 0 and the impacts of each term.
    Array<float> lowest{}, highest{};

    // Computes the minima and maxima.
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
    // |q| p(d) for a query of this length.
    double own_part(double length, Index document) const { return own.empty() ? 0.0 : length * own[document]; }
};

// Terms, weights and length of a query.
struct Query {
    Span<const Index> terms;
    Span<const double> weights;
    double length;
};

}  // namespace directrank::postings

// Construction and validation of inverted indexes; see retrieval/index.py.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "span.hpp"

namespace directrank::index {

// Distinct terms of queries, ascending within each, with their counts.
struct Counted {
    Array<Index> terms;
    Array<double> counts;
    Array<Index> ends;  // of each query
};

// Counts the tokens of each query; -1 is a token that is not a term.
inline Counted count(Span<const Index> tokens, Span<const Index> offsets) {
    Counted counted{Array<Index>(tokens.size()), Array<double>(tokens.size()), Array<Index>(offsets.size() - 1)};
    Array<Index> sorted(tokens.size());
    Index n = 0;
    for (Index q = 0; q < counted.ends.size(); ++q) {
        const auto mine = sorted.slice(offsets[q], offsets[q + 1]);
        std::copy_n(tokens.data() + offsets[q], mine.size(), mine.begin());
        std::sort(mine.begin(), mine.end());
        Index before = -1;
        for (const Index term : mine) {
            if (term < 0) continue;
            if (term > before) counted.terms[n] = term, counted.counts[n++] = 0;
            ++counted.counts[n - 1];
            before = term;
        }
        counted.ends[q] = n;
    }
    counted.terms.shrink(n), counted.counts.shrink(n);
    return counted;
}

// Sum of the counts of each term.
template <class Count>
Array<Index> sum_counts(Span<const Count> counts, Span<const Index> starts) {
    Array<Index> sums(starts.size() - 1);
    for (Index term = 0; term < sums.size(); ++term) {
        std::uint64_t sum = 0;
        for (const Count count : counts.slice(starts[term], starts[term + 1])) sum += count;
        sums[term] = static_cast<Index>(sum);
    }
    return sums;
}

// Postings of all terms, by term and ascending document.
struct Inverted {
    Array<Index> starts;
    Array<std::int32_t> documents, counts;
};

// Inverts documents, given as term and document of each token, in the order of documents.
inline Inverted invert(Span<const std::int32_t> tokens, Span<const std::int32_t> documents, Index n_terms) {
    auto starts = Array<Index>::zeros(n_terms + 1);
    Array<std::int32_t> last(n_terms, -1);
    for (Index k = 0; k < tokens.size(); ++k) {  // count distinct documents of each term
        starts[tokens[k] + 1] += last[tokens[k]] != documents[k];
        last[tokens[k]] = documents[k];
    }
    for (Index term = 0; term < n_terms; ++term) starts[term + 1] += starts[term];
    Array<std::int32_t> posted(starts[n_terms]), counts(starts[n_terms]);
    Array<Index> end(n_terms);
    std::copy_n(starts.begin(), n_terms, end.begin());
    std::fill(last.begin(), last.end(), -1);
    for (Index k = 0; k < tokens.size(); ++k) {
        const std::int32_t term = tokens[k];
        if (last[term] != documents[k]) {
            last[term] = documents[k];
            posted[end[term]] = documents[k], counts[end[term]++] = 0;
        }
        ++counts[end[term] - 1];
    }
    return {std::move(starts), std::move(posted), std::move(counts)};
}

// Whether positions ascend from at least 0 to `last`, which must be 0 if there are none.
inline bool ascend(Span<const Index> ends, Index last) {
    Index before = 0;
    for (const Index end : ends) {
        if (end < before) return false;
        before = end;
    }
    return before == last;
}

// Whether the documents of each term ascend, and counts sum to the lengths of the documents.
template <class Count>
bool fits(Span<const Index> starts, Span<const std::int32_t> documents, Span<const Count> counts,
          Span<const Index> lengths) {
    Array<Index> left(lengths.size());  // tokens of each document that are not counted yet
    std::copy(lengths.begin(), lengths.end(), left.begin());
    for (const Index length : left)
        if (length < 0) return false;
    for (Index term = 0; term + 1 < starts.size(); ++term) {
        Index before = -1;
        for (Index k = starts[term]; k < starts[term + 1]; ++k) {
            const Index document = documents[k];
            if (document <= before || document >= left.size()) return false;
            if (counts[k] == 0 || counts[k] > static_cast<std::uint64_t>(left[document])) return false;
            left[document] -= static_cast<Index>(counts[k]);
            before = document;
        }
    }
    return std::all_of(left.begin(), left.end(), [](Index n) { return n == 0; });
}

}  // namespace directrank::index

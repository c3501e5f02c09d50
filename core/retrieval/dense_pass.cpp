#include "retrieval/dense_pass.hpp"

#include <limits>
#include <vector>

#include "clones.hpp"

namespace directrank::dense_pass {
namespace {

// Documents whose sums are held at once, and that are compared with the threshold at once.
constexpr Index BLOCK = 4096, CHUNK = 32;

// Bins of the histogram that raises the threshold.
constexpr Index BINS = 1024;

constexpr double INFINITE = std::numeric_limits<double>::infinity();

// Adds what a term gives to the sums of a block; returns how many postings that were.
Index add(double weight, Span<const Document> documents, Span<const float> impacts, Index first, Index last, double* block) {
    Index k = 0;
    for (; k < documents.size() && documents[k] < last; ++k) {
        double& sum = block[documents[k] - first];
        sum = (sum != sum ? 0.0 : sum) + weight * static_cast<double>(impacts[k]);
    }
    return k;
}

// Appends the documents of a block that are above the threshold; equal ones are behind those which are kept already.
DIRECTRANK_CLONES
Index keep(const double* block, Index size, Index first, double threshold, Document* kept, double* scores, Index n) {
    for (Index start = 0; start < size; start += CHUNK) {
        const Index end = start + CHUNK < size ? start + CHUNK : size;
        Index n_above = 0;
        for (Index i = start; i < end; ++i) n_above += block[i] > threshold;
        if (n_above == 0) continue;
        for (Index i = start; i < end; ++i) {
            kept[n] = static_cast<Document>(first + i), scores[n] = block[i];
            n += block[i] > threshold;
        }
    }
    return n;
}

struct Bins {
    double lowest, scale;

    Index operator()(double score) const {
        const double bin = (score - lowest) * scale;
        return bin > 0 ? static_cast<Index>(std::min(bin, static_cast<double>(BINS - 1))) : 0;
    }
};

// Drops documents that are not among the best `depth`; gives the lowest score that is left, and sets how many are left.
double raise_threshold(Index depth, Document* kept, double* scores, Index& n) {
    const auto [lowest, highest] = std::minmax_element(scores, scores + n);
    const double range = *highest - *lowest;
    const Bins bin_of{*lowest, range > 1e-300 ? static_cast<double>(BINS - 1) / range : 0.0};
    Index counts[BINS] = {};
    for (Index k = 0; k < n; ++k) ++counts[bin_of(scores[k])];
    Index edge = BINS;
    for (Index n_best = 0; n_best < depth;) n_best += counts[--edge];
    Index left = 0;
    double threshold = INFINITE;
    for (Index k = 0; k < n; ++k) {
        const double score = scores[k];
        const bool is_left = bin_of(score) >= edge;
        kept[left] = kept[k], scores[left] = score;
        threshold = std::min(threshold, is_left ? score : INFINITE);
        left += is_left;
    }
    n = left;
    return threshold;
}

}  // namespace

Index score_all(const Query& query, const Postings& postings, Index depth, Document* kept, double* scores) {
    std::vector<Index> at;
    for (const Index term : query.terms) at.push_back(postings.starts[term]);
    double block[BLOCK], threshold = -INFINITE;
    Index n = 0, limit = 2 * depth;
    for (Index first = 0; first < postings.n_documents; first += BLOCK) {
        const Index last = std::min(first + BLOCK, postings.n_documents), size = last - first;
        std::fill_n(block, size, std::numeric_limits<double>::quiet_NaN());  // of documents without any of the terms
        for (Index k = 0; k < query.terms.size(); ++k) {
            const Index end = postings.starts[query.terms[k] + 1];
            Index& start = at[static_cast<std::size_t>(k)];
            start += add(query.weights[k], postings.documents.slice(start, end), postings.impacts.slice(start, end), first, last,
                         block);
        }
        if (!postings.own.empty())
            for (Index i = 0; i < size; ++i) block[i] += query.length * postings.own[first + i];
        n = keep(block, size, first, threshold, kept, scores, n);
        if (n > limit) {
            threshold = raise_threshold(depth, kept, scores, n);
            limit = 2 * n;
        }
    }
    return n;
}

}  // namespace directrank::dense_pass

#include "retrieval/dense_pass.hpp"

#include <limits>
#include <vector>

#include "clones.hpp"
#include "elementary.hpp"
#include "retrieval/histogram.hpp"

namespace directrank::dense_pass {
namespace {

// Number of documents of a block, documents compared with the threshold at once, and postings added at once.
constexpr Index BLOCK = 2048, CHUNK = 32, GROUP = 16;

constexpr double INFINITE = std::numeric_limits<double>::infinity();

// Sum of a document without any of the terms. Other sums are never -0, since no addend is.
constexpr double NONE = -0.0;

// Adds a term's contributions to the sums of a block; returns the number of postings.
DIRECTRANK_CLONES
Index add(double weight, const Document* documents, const float* impacts, Index n, Index first, Index last, double* block) {
    Index k = 0;
    for (; k + GROUP <= n && documents[k + GROUP - 1] < last; k += GROUP) {
        double parts[GROUP];
        for (Index i = 0; i < GROUP; ++i) parts[i] = weight * static_cast<double>(impacts[k + i]) + 0.0;
        for (Index i = 0; i < GROUP; ++i) block[documents[k + i] - first] += parts[i];
    }
    for (; k < n && documents[k] < last; ++k) block[documents[k] - first] += weight * static_cast<double>(impacts[k]) + 0.0;
    return k;
}

// Appends the documents of a block that are above the threshold; equal scores rank behind documents kept already.
DIRECTRANK_CLONES
Index keep(const double* sums, Index size, const double* own, double length, Index first, double threshold, Document* kept,
           double* scores, Index n) {
    for (Index start = 0; start < size; start += CHUNK) {
        const Index chunk = start + CHUNK < size ? CHUNK : size - start;
        double found[CHUNK];
        Index n_above = 0;
        for (Index i = 0; i < chunk; ++i) {
            const double sum = sums[start + i], score = own ? sum + length * own[start + i] : sum;
            found[i] = to_bits(sum) == to_bits(NONE) ? -INFINITE : score;
            n_above += found[i] > threshold;
        }
        if (n_above == 0) continue;
        for (Index i = 0; i < chunk; ++i) {
            kept[n] = static_cast<Document>(first + start + i), scores[n] = found[i];
            n += found[i] > threshold;
        }
    }
    return n;
}

// Drops documents that are not among the top `depth`; returns the lowest remaining score, and sets their number.
double raise_threshold(Index depth, Document* kept, double* scores, Index& n) {
    const auto bins = histogram::bins_of(scores, n);
    const auto best = static_cast<double>(histogram::top_bin(scores, n, bins, depth));
    Index left = 0;
    for (Index k = 0; k < n; ++k) {
        const double score = scores[k];
        kept[left] = kept[k], scores[left] = score;
        left += (score - bins.low) * bins.scale >= best;
    }
    n = left;
    return *std::min_element(scores, scores + n);
}

}  // namespace

Index score_all(const Query& query, const Postings& postings, Index depth, Document* kept, double* scores) {
    std::vector<Index> at;
    for (const Index term : query.terms) at.push_back(postings.starts[term]);
    double block[BLOCK], threshold = -INFINITE;
    Index n = 0, limit = 2 * depth;
    for (Index first = 0; first < postings.n_documents; first += BLOCK) {
        const Index last = std::min(first + BLOCK, postings.n_documents), size = last - first;
        std::fill_n(block, size, NONE);
        for (Index k = 0; k < query.terms.size(); ++k) {
            const Index end = postings.starts[query.terms[k] + 1];
            Index& start = at[static_cast<std::size_t>(k)];
            start += add(query.weights[k], postings.documents.data() + start, postings.impacts.data() + start, end - start,
                         first, last, block);
        }
        const double* own = postings.own.empty() ? nullptr : postings.own.data() + first;
        n = keep(block, size, own, query.length, first, threshold, kept, scores, n);
        if (n > limit) {
            threshold = raise_threshold(depth, kept, scores, n);
            limit = 2 * n;
        }
    }
    return n;
}

}  // namespace directrank::dense_pass

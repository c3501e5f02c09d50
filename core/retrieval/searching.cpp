#include "retrieval/searching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "clones.hpp"
#include "measures/ranking/sorting.hpp"
#include "radix_sort.hpp"
#include "retrieval/common_terms.hpp"
#include "retrieval/dense_pass.hpp"

namespace directrank::searching {
namespace {

// Bins of the histogram that finds the threshold.
constexpr Index BINS = 1024;

// So many documents are scored rather than thinned out any further.
constexpr Index FEW = 64;

// Bounds are widened by this share of the largest possible sum, which is far more than sums in another order can differ by.
constexpr double SLACK = 1e-9;

constexpr double NONE = std::numeric_limits<double>::quiet_NaN();

DIRECTRANK_CLONES
void add_by_table(double weight, const std::uint64_t* bits, const std::int32_t* before, const float* impacts,
                  const Document* documents, Index n, double* sums) {
    for (Index k = 0; k < n; ++k) {
        const std::int64_t place = common_terms::place_of(documents[k], bits, before);
        if (place >= 0) sums[documents[k]] += weight * static_cast<double>(impacts[place]);
    }
}

// Adds what a term gives to the sums of these documents; the sums of all others are NaN.
void add(Index term, double weight, const Postings& postings, Span<const Document> documents, double* sums) {
    const auto posted = postings.documents_of(term);
    const auto impacts = postings.impacts_of(term);
    if (postings.lowest[term] == 0 && postings.highest[term] == 0) return;
    if (const Index row = postings.row[term]; row >= 0 && 4 * documents.size() < posted.size()) {
        add_by_table(weight, postings.bits[row].data(), postings.before[row].data(), impacts.data(), documents.data(),
                     documents.size(), sums);
    } else if (16 * documents.size() < posted.size()) {
        for (const Document document : documents) {
            const auto found = std::lower_bound(posted.begin(), posted.end(), document);
            if (found != posted.end() && *found == document)
                sums[document] += weight * static_cast<double>(impacts[found - posted.begin()]);
        }
    } else {
        for (Index p = 0; p < posted.size(); ++p) sums[posted[p]] += weight * static_cast<double>(impacts[p]);  // NaN stays NaN
    }
}

// Adds what a term gives to the sums of all its documents; returns how many documents have been seen.
Index scan(Index term, double weight, const Postings& postings, double* sums, Document* seen, Index n) {
    const auto documents = postings.documents_of(term);
    const auto impacts = postings.impacts_of(term);
    for (Index k = 0; k < documents.size(); ++k) {
        const Document document = documents[k];
        const double part = weight * static_cast<double>(impacts[k]), so_far = sums[document];
        const bool is_new = so_far != so_far;
        sums[document] = is_new ? part : so_far + part;
        seen[n] = document;
        n += is_new;
    }
    return n;
}

// The same for a term that gives nothing; after `limit` new documents, all others are behind them.
Index bring_in(Index term, const Postings& postings, Index limit, double* sums, Document* seen, Index n) {
    for (const Document document : postings.documents_of(term)) {
        if (sums[document] == sums[document]) continue;
        sums[document] = 0, seen[n++] = document;
        if (--limit == 0) break;
    }
    return n;
}

// A bound, from below, of the `depth`-th highest sum of the documents seen, of which all are from `low` to `high`.
//
// Writes the sums to `values`.
double least(Span<const Document> seen, const double* sums, double length, const Postings& postings, double low, double high,
             Index depth, double* values) {
    const double scale = high - low > 1e-300 ? static_cast<double>(BINS - 1) / (high - low) : 0.0;
    std::int32_t counts[BINS] = {};
    for (Index k = 0; k < seen.size(); ++k) {
        values[k] = sums[seen[k]] + postings.own_part(length, seen[k]);
        const double bin = (values[k] - low) * scale;
        ++counts[bin > 0 ? static_cast<Index>(std::min(bin, static_cast<double>(BINS - 1))) : 0];
    }
    Index edge = BINS;
    for (Index n = 0; n < depth;) n += counts[--edge];
    return edge > 0 ? low + static_cast<double>(edge) / scale : low;
}

// Keeps the documents with values that reach the threshold; returns how many.
Index drop(double threshold, const double* values, double* sums, Document* seen, Index n) {
    Index kept = 0;
    for (Index k = 0; k < n; ++k) {
        const Document document = seen[k];
        const bool is_kept = values[k] >= threshold;
        seen[kept] = document;
        sums[document] = is_kept ? sums[document] : NONE;
        kept += is_kept;
    }
    return kept;
}

// Writes to `seen` the documents that may be among the best, and returns how many; sums are NaN before and after.
Index find_candidates(const Query& query, const Postings& postings, const Plan& plan, Index depth, Workspace& workspace) {
    double* const sums = workspace.sums.data();
    Document* const seen = workspace.seen.data();
    const double can_take = plan.can_take[0], can_add = plan.can_add[0];
    const double own_low = query.length * postings.own_low, own_high = query.length * postings.own_high;
    const double slack = SLACK * (can_add - can_take + std::fabs(own_low) + std::fabs(own_high));
    const bool only_matching = can_take == 0 && postings.own.empty();  // then a document whose terms add nothing has the score 0
    bool closed = false;
    Index n = 0;
    for (std::size_t done = 1; done <= plan.order.size(); ++done) {
        const Index k = plan.order[done - 1];
        const Index term = query.terms[k];
        const double weight = query.weights[k];
        if (closed)
            add(term, weight, postings, {seen, n}, sums);
        else if (only_matching && plan.can_add[done - 1] == 0)
            n = bring_in(term, postings, depth, sums, seen, n);
        else
            n = scan(term, weight, postings, sums, seen, n);
        const Index left = plan.left[done];
        const bool may_close = left == 0 || (static_cast<Index>(done) >= plan.n_opening && n < left);
        if (n <= depth || !(closed || may_close)) continue;
        const double low = can_take - plan.can_take[done] + own_low, high = can_add - plan.can_add[done] + own_high;
        const double threshold = least({seen, n}, sums, query.length, postings, low, high, depth, workspace.values.data()) +
                                 plan.can_take[done] - slack;
        closed = closed || left == 0 || plan.can_add[done] + own_high < threshold;
        if (!closed) continue;
        n = drop(threshold - plan.can_add[done], workspace.values.data(), sums, seen, n);
        if (n <= std::max(FEW, 5 * depth / 4)) break;
    }
    for (Index k = 0; k < n; ++k) sums[seen[k]] = NONE;
    return n;
}

// Sorts documents, which are distinct.
void sort(Span<Document> documents, Index n_documents) {
    if (documents.size() <= sorting::BLOCK) return std::sort(documents.begin(), documents.end());
    Array<Index> order(documents.size());
    std::iota(order.begin(), order.end(), 0);
    const auto sorted = radix_sort::sort_by_digits(order, n_documents <= 1 << 22 ? 2 : 3, [&](Index k) { return documents[k]; });
    for (Index k = 0; k < documents.size(); ++k) documents[k] = static_cast<Document>(radix_sort::integer(sorted[k]));
}

}  // namespace

Plan::Plan(const Query& query, const Postings& postings)
    : order(query.terms.size()),
      can_take(order.size() + 1),
      can_add(order.size() + 1),
      left(order.size() + 1),
      n_opening(0) {
    std::vector<double> lows(order.size()), highs(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        const Index term = query.terms[k];
        const double one = query.weights[k] * static_cast<double>(postings.lowest[term]);
        const double other = query.weights[k] * static_cast<double>(postings.highest[term]);
        lows[k] = std::min(one, other), highs[k] = std::max(one, other);
    }
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return highs[a] > highs[b] || (highs[a] == highs[b] && a < b); });
    for (std::size_t done = order.size(); done-- > 0;) {
        const Index k = order[done];
        can_take[done] = can_take[done + 1] + lows[k], can_add[done] = can_add[done + 1] + highs[k];
        left[done] = left[done + 1] + postings.n_postings(query.terms[k]);
    }
    if (!std::isfinite(can_add[0] - can_take[0]))  // a sum could be NaN, which stands for documents that were not seen
        throw std::invalid_argument("term weights so large that scores are not finite");
    while (left[n_opening] > 0 && 2 * (can_add[n_opening] - can_take[n_opening]) >= can_add[0] - can_take[0]) ++n_opening;
}

// The weights are from timings of both ways.
bool Plan::needs_all(Index n_documents, Index depth) const {
    const Index opening = left[0] - left[n_opening];
    return 8 * opening > n_documents + left[0] + 64 * depth;
}

Workspace::Workspace(Index n_documents) : sums(n_documents, NONE), seen(n_documents + 1), values(n_documents) {}

Index search(const Query& query, const Postings& postings, Workspace& workspace, Span<Document> best, Span<double> scores) {
    const Plan plan(query, postings);
    const Index depth = best.size();
    Index n = 0;
    if (plan.needs_all(postings.n_documents, depth)) {
        n = dense_pass::score_all(query, postings, depth, workspace.seen.data(), workspace.values.data());
    } else {
        n = find_candidates(query, postings, plan, depth, workspace);
        sort(workspace.seen.slice(0, n), postings.n_documents);
        score_documents(query, postings, workspace.seen.slice(0, n), workspace, workspace.values.slice(0, n));
    }
    const Array<Index> order = sorting::descending_order(workspace.values.slice(0, n));  // ties stay in index order
    const Index size = std::min(n, depth);
    for (Index k = 0; k < size; ++k) best[k] = workspace.seen[order[k]], scores[k] = workspace.values[order[k]];
    return size;
}

void score_documents(
    const Query& query, const Postings& postings, Span<const Document> documents, Workspace& workspace, Span<double> scores) {
    double* const sums = workspace.sums.data();
    Index n = 0;
    for (const Document document : documents) {
        if (sums[document] == sums[document]) continue;  // it is there twice
        sums[document] = 0, workspace.seen[n++] = document;  // distinct documents may be those seen: they stay there
    }
    const auto distinct = workspace.seen.slice(0, n);
    for (Index k = 0; k < query.terms.size(); ++k) add(query.terms[k], query.weights[k], postings, distinct, sums);
    for (Index k = 0; k < documents.size(); ++k)
        scores[k] = sums[documents[k]] + postings.own_part(query.length, documents[k]);
    for (const Document document : distinct) sums[document] = NONE;
}

}  // namespace directrank::searching

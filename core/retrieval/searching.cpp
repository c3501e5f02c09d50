#include "retrieval/searching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "clones.hpp"
#include "elementary.hpp"
#include "measures/ranking/sorting.hpp"
#include "radix_sort.hpp"
#include "retrieval/common_terms.hpp"
#include "retrieval/dense_pass.hpp"
#include "retrieval/histogram.hpp"

namespace directrank::searching {
namespace {

// Number of candidates that are scored without further pruning.
constexpr Index FEW = 64;

// Bounds are widened by this fraction of the largest possible sum, far more than rounding in another order of summation.
constexpr double SLACK = 1e-9;

// Sum of an unseen document, absorbing under addition.
constexpr double NONE = -std::numeric_limits<double>::infinity();

// Number of postings added at once.
constexpr Index GROUP = 16;

DIRECTRANK_CLONES
void add_by_table(double weight, const std::uint64_t* bits, const std::int32_t* before, const float* impacts,
                  const Document* documents, Index n, double* sums) {
    for (Index k = 0; k < n; ++k) {
        const std::int64_t place = common_terms::place_of(documents[k], bits, before);
        if (place >= 0) sums[documents[k]] += weight * static_cast<double>(impacts[place]);
    }
}

// Adds a term's contribution to the sums of the seen documents; all other sums are NONE.
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
        for (Index p = 0; p < posted.size(); ++p)  // NONE stays NONE
            sums[posted[p]] += weight * static_cast<double>(impacts[p]);
    }
}

// Adds a contribution to a document, branchless.
inline Index add_to_document(Document document, double part, double* sums, Document* seen, Index n) {
    const std::uint64_t so_far = to_bits(sums[document]);
    const bool is_new = so_far == to_bits(NONE);
    sums[document] = from_bits(so_far & (std::uint64_t{is_new} - 1)) + part;
    seen[n] = document;
    return n + is_new;
}

// Adds a term's contribution to the sums of all its documents; returns the number of seen documents.
DIRECTRANK_CLONES
Index scan(double weight, const Document* documents, const float* impacts, Index n_postings, double* sums, Document* seen,
           Index n) {
    Index k = 0;
    for (; k + GROUP <= n_postings; k += GROUP) {
        double parts[GROUP];
        for (Index i = 0; i < GROUP; ++i) parts[i] = weight * static_cast<double>(impacts[k + i]);
        for (Index i = 0; i < GROUP; ++i) n = add_to_document(documents[k + i], parts[i], sums, seen, n);
    }
    for (; k < n_postings; ++k) n = add_to_document(documents[k], weight * static_cast<double>(impacts[k]), sums, seen, n);
    return n;
}

// `scan` for a term of contribution 0; after `limit` new documents, all others rank behind them.
Index bring_in(Index term, const Postings& postings, Index limit, double* sums, Document* seen, Index n) {
    for (const Document document : postings.documents_of(term)) {
        if (sums[document] != NONE) continue;
        sums[document] = 0, seen[n++] = document;
        if (--limit == 0) break;
    }
    return n;
}

// Writes the sums of the seen documents, with their document scores.
DIRECTRANK_CLONES
void take_values(const Document* seen, Index n, const double* sums, const double* own, double length, double* values) {
    if (own)
        for (Index k = 0; k < n; ++k) values[k] = sums[seen[k]] + length * own[seen[k]];
    else
        for (Index k = 0; k < n; ++k) values[k] = sums[seen[k]];
}

// Lower bound on the `depth`-th highest of values in [low, high].
double least(const double* values, Index n, double low, double high, Index depth) {
    const histogram::Bins bins(low, high);
    const Index bin = histogram::top_bin(values, n, bins, depth);
    return bin > 0 ? low + static_cast<double>(bin) / bins.scale : low;
}

// Keeps documents whose value reaches the threshold; returns their number.
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

// Writes the candidates to `seen`, and returns their number; sums are NONE before and after.
Index find_candidates(const Query& query, const Postings& postings, const Plan& plan, Index depth, Workspace& workspace) {
    double *const sums = workspace.sums.data(), *const values = workspace.values.data();
    Document* const seen = workspace.seen.data();
    const double* const own = postings.own.empty() ? nullptr : postings.own.data();
    const double can_take = plan.can_take[0], can_add = plan.can_add[0];
    const double own_low = query.length * postings.own_low, own_high = query.length * postings.own_high;
    const double slack = SLACK * (can_add - can_take + std::fabs(own_low) + std::fabs(own_high));
    // If contributions are not negative, documents whose terms contribute nothing have the lowest score, 0.
    const bool only_matching = can_take == 0 && postings.own.empty();
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
            n = scan(weight, postings.documents_of(term).data(), postings.impacts_of(term).data(), postings.n_postings(term),
                     sums, seen, n);
        const Index left = plan.left[done];
        const bool may_close = left == 0 || (static_cast<Index>(done) >= plan.n_opening && n < left);
        if (n <= depth || !(closed || may_close)) continue;
        const double low = can_take - plan.can_take[done] + own_low, high = can_add - plan.can_add[done] + own_high;
        take_values(seen, n, sums, own, query.length, values);
        const double threshold = least(values, n, low, high, depth) + plan.can_take[done] - slack;
        closed = closed || left == 0 || plan.can_add[done] + own_high < threshold;
        if (!closed) continue;
        n = drop(threshold - plan.can_add[done], values, sums, seen, n);
        if (n <= std::max(FEW, 5 * depth / 4)) break;
    }
    for (Index k = 0; k < n; ++k) sums[seen[k]] = NONE;
    return n;
}

// Sorts distinct documents.
void sort(Span<Document> documents, Index n_documents) {
    if (documents.size() <= sorting::BLOCK) return std::sort(documents.begin(), documents.end());
    Array<Index> order(documents.size());
    std::iota(order.begin(), order.end(), 0);
    const int n_digits = n_documents <= 1 << 22 ? 2 : 3;
    const auto sorted = radix_sort::sort_by_digits(order, n_digits, [&](Index k) { return documents[k]; });
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
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return highs[a] > highs[b]; });
    for (std::size_t done = order.size(); done-- > 0;) {
        const Index k = order[done];
        can_take[done] = can_take[done + 1] + lows[k], can_add[done] = can_add[done + 1] + highs[k];
        left[done] = left[done + 1] + postings.n_postings(query.terms[k]);
    }
    if (!std::isfinite(can_add[0] - can_take[0]))  // a sum could be NONE or NaN
        throw std::invalid_argument("term weights so large that scores are not finite");
    while (left[n_opening] > 0 && 2 * (can_add[n_opening] - can_take[n_opening]) >= can_add[0] - can_take[0]) ++n_opening;
}

// Costs are from timings of both methods.
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
    const auto order = sorting::descending_order(workspace.values.slice(0, n));  // ties stay in index order
    const Index size = std::min(n, depth);
    for (Index k = 0; k < size; ++k) best[k] = workspace.seen[order[k]], scores[k] = workspace.values[order[k]];
    std::fill(best.begin() + size, best.end(), 0);
    std::fill(scores.begin() + size, scores.end(), 0.0);
    return size;
}

void score_documents(const Query& query, const Postings& postings, Span<const Document> documents, Workspace& workspace,
                     Span<double> scores) {
    double* const sums = workspace.sums.data();
    Index n = 0;
    for (const Document document : documents) {
        if (sums[document] != NONE) continue;  // repeated
        sums[document] = 0, workspace.seen[n++] = document;  // distinct documents are the seen ones
    }
    const auto distinct = workspace.seen.slice(0, n);
    for (Index k = 0; k < query.terms.size(); ++k) add(query.terms[k], query.weights[k], postings, distinct, sums);
    for (Index k = 0; k < documents.size(); ++k)
        scores[k] = sums[documents[k]] + postings.own_part(query.length, documents[k]);
    for (const Document document : distinct) sums[document] = NONE;
}

}  // namespace directrank::searching

// Changes of a measure that sums precisions when a relevant and a non-relevant document of one query swap ranks: a relevant
// document at rank r with A relevant ones above it adds (g(r) + A h(r))/R. See measures/pairs/precision_swaps.py.
#pragma once

#include <cstdint>

#include "measures/ranking/sorting.hpp"
#include "measures/ranking/ties.hpp"
#include "span.hpp"

namespace directrank::precision_swaps {

// g and h of each rank.
struct Earnings {
    Span<const double> g, h;
};

// A tie group of a ranking.
struct TieGroup {
    Span<const double> g, h;  // of its ranks
    Index n_relevant;         // of its documents
    Index n_above;            // relevant documents above it
    double h_above;           // sum of h over their ranks
    double h_group;           // sum of h over its ranks, times its fraction of relevant documents

    Index size() const { return h.size(); }
};

// Parts of |Delta|: of a document as the upper one of two that swap, and as the lower one.
struct Parts {
    double upper, lower;
};

// Means over the document's place x in its tie group.
//
// Each of the other documents is relevant with the same probability, at any place. The document is the relevant one of a
// swap or the other: as the lower one it has the relevant one of the pair above it, unless it is that one itself, which A
// does not count.
inline Parts parts_of(const TieGroup& ties, bool is_relevant) {
    const Index m = ties.size();
    if (ties.n_relevant == (is_relevant ? 0 : m)) return {0, 0};  // there is no such document
    const auto n_others = static_cast<double>(ties.n_relevant - is_relevant), n_above = static_cast<double>(ties.n_above);
    const double probability = m > 1 ? n_others / static_cast<double>(m - 1) : 0.0;
    const double n_above_as_lower = n_above - (is_relevant ? 0.0 : 1.0);
    double earned = 0, earned_as_lower = 0, h_before = 0, h_after = 0;
    for (Index place = 0; place < m; ++place) {
        const auto x = static_cast<double>(place);
        const double g = ties.g[place], h = ties.h[place];
        earned += g + (n_above + x * probability) * h;
        earned_as_lower += g + (n_above_as_lower + x * probability) * h;
        h_before += (static_cast<double>(m - 1) - x) * probability * h;
        h_after += x * probability * h;
    }
    const auto size = static_cast<double>(m);
    return {earned / size + h_after / size - ties.h_above - ties.h_group,
            h_before / size + ties.h_above - earned_as_lower / size};
}

// The mean of |Delta| over all places a < b of two documents of one tie group, one relevant and one non-relevant.
inline double mean_change_in_group(const TieGroup& ties) {
    const Index size = ties.size();
    if (ties.n_relevant == 0 || ties.n_relevant == size) return 0;
    const auto m = static_cast<double>(size), n_above = static_cast<double>(ties.n_above);
    const double probability = size > 2 ? static_cast<double>(ties.n_relevant - 1) / (m - 2) : 0.0;
    double total = 0;
    for (Index place = 0; place < size; ++place) {
        const auto x = static_cast<double>(place);
        total += (m - 1 - x) * (ties.g[place] + (n_above + 2 * x * probability) * ties.h[place]);
        total -= x * (ties.g[place] + (n_above + (x - 1) * probability) * ties.h[place]);
    }
    return total * 2 / (m * (m - 1));
}

// Splits |Delta| of each swap of one query into a part of the upper document and one of the lower.
//
// Move a relevant document from rank b up to rank a < b, for a non-relevant one. With A_a and A_b counting the other
// relevant documents above each rank, R times the value changes by
//
//     g(a) + A_a h(a) + sum of h(r) over the other relevant documents at ranks r between a and b - g(b) - A_b h(b)
//
// as the documents between have one more relevant document above them. Their sum is H_b - H_a, the sum of h above b minus
// the sum above and at a: so the change is upper_a + lower_b with upper_a = g(a) + A_a h(a) - H_a, lower_b = H_b - g(b) -
// A_b h(b). It is the same where the relevant document moves down. For tied documents, each part is the mean over the orders
// of their group; for two documents of one group it is the mean of the whole change.
inline void split_changes(Span<const double> scores, Span<const bool> relevant, const Earnings& earnings,
                          Span<std::int32_t> group, Span<double> upper, Span<double> lower, Span<double> tied) {
    const sorting::Ranking ranking(scores);
    std::int32_t number = 0;
    Index n_above = 0;
    double h_above = 0;
    for (Index start = 0, end = 0; start < scores.size(); start = end, ++number) {
        end = ties::group_end(ranking.scores, start);
        TieGroup ties{earnings.g.slice(start, end), earnings.h.slice(start, end), 0, n_above, h_above, 0};
        for (Index rank = start; rank < end; ++rank) ties.n_relevant += relevant[ranking.order[rank]];
        double h_sum = 0;
        for (const double h : ties.h) h_sum += h;
        ties.h_group = static_cast<double>(ties.n_relevant) / static_cast<double>(end - start) * h_sum;
        const Parts other_parts = parts_of(ties, false), relevant_parts = parts_of(ties, true);
        const double change = mean_change_in_group(ties);
        for (Index rank = start; rank < end; ++rank) {
            const Index document = ranking.order[rank];
            const Parts& parts = relevant[document] ? relevant_parts : other_parts;
            group[document] = number, upper[document] = parts.upper, lower[document] = parts.lower, tied[document] = change;
        }
        n_above += ties.n_relevant, h_above += ties.h_group;
    }
}

}  // namespace directrank::precision_swaps

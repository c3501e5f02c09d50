// Expectations of the dynamic Bayesian network model; see clicks/click_models/dynamic_bayesian.py.
//
// All documents down to the last click were examined, and all clicks but the last did not satisfy. Open is what was
// examined of the tail, the documents below the last click, or all if there is none. Document k of the tail has
// attractiveness a_k, and R_k is the probability of no click below it, given that it was examined and did not satisfy:
//
//     R_n = 1 for the document shown last,    R_k = (1 - g) + g (1 - a_{k+1}) R_{k+1},
//
// g being the perseverance. If F_k is the probability that it was examined and none of the tail above it clicked, then the
// tail has the probability Z = (1 - a_1) R_1 in a session without clicks, and Z = s + (1 - s) R_l if the last click, l, was
// on a document of satisfaction s. Given the clicks, document k was examined with probability F_k (1 - a_k) R_k / Z.
#pragma once

#include "elementary.hpp"
#include "for_each_query.hpp"
#include "scratch.hpp"

namespace directrank::dynamic_bayesian {

// Sessions by query: session i is one of query q for i from query_offsets[q] to before query_offsets[q + 1].
struct Sessions {
    Span<const Index> offsets, pair, query_offsets, query_of_pair;
    Span<const bool> clicked;
};

struct Parameters {
    Span<const double> attractiveness, satisfaction;
    double perseverance;
};

// Expected numbers of examined impressions in tails and of last clicks that satisfied, by pair; how often a user who was not
// satisfied at the last click, or in the tail, could go on, and did; and the logarithm of the probability of all tails.
//
// A last click on the document shown last says nothing about satisfaction, and is not counted.
struct Expectations {
    Array<double> examined, satisfied;
    double could_go_on, went_on, log_likelihood;
};

// Sums of a query that are not by pair.
struct Totals {
    double could_go_on = 0, went_on = 0, log_likelihood = 0;
};

// Adds the expectations of a session of a query, whose documents are `start` to before `end`.
inline void add_session(const Sessions& sessions, const Parameters& parameters, Index query, Index start, Index end,
                        Expectations& sums, Totals& totals) {
    const double g = parameters.perseverance;
    Index tail = end;
    while (tail > start && !sessions.clicked[tail - 1]) --tail;
    if (tail == end) return;
    const bool has_click = tail > start;
    for (Index i = tail - has_click; i < end; ++i)
        if (sessions.query_of_pair[sessions.pair[i]] != query)
            throw std::invalid_argument("a session with a pair of another query");
    const Scratch<double> skipped(end - tail), no_click(end - tail);  // 1 - a_k and (1 - a_k) R_k
    double rest = 1;
    for (Index i = end - 1; i >= tail; --i) {
        skipped[i - tail] = 1 - parameters.attractiveness[sessions.pair[i]];
        no_click[i - tail] = skipped[i - tail] * rest;
        rest = (1 - g) + g * no_click[i - tail];
    }
    double probability = no_click[0], inverse = 1 / probability, reached = inverse;
    if (has_click) {
        const Index last = sessions.pair[tail - 1];
        const double s = parameters.satisfaction[last];
        probability = s + (1 - s) * rest, inverse = 1 / probability;
        sums.satisfied[last] += s * inverse;
        totals.could_go_on += (1 - s) * rest * inverse;
        reached = (1 - s) * g * inverse;
    }
    double total = 0, first = 0, examined = 0;
    for (Index i = 0; i < end - tail; ++i) {
        examined = reached * no_click[i];
        sums.examined[sessions.pair[tail + i]] += examined;
        total += examined;
        if (i == 0) first = examined;
        reached *= skipped[i] * g;
    }
    totals.went_on += has_click ? total : total - first;
    totals.could_go_on += total - examined;  // of the document shown last, nothing is known
    totals.log_likelihood += logarithm(probability);
}

// The pairs of a query are its own, so that several threads never add to the same pair.
inline Expectations expectations(const Sessions& sessions, const Parameters& parameters) {
    const Index n_pairs = parameters.attractiveness.size(), n_queries = sessions.query_offsets.size() - 1;
    Expectations sums{Array<double>::zeros(n_pairs), Array<double>::zeros(n_pairs), 0, 0, 0};
    Array<Totals> totals(n_queries, Totals{});
    for_each_query(sessions.query_offsets, [&](Index query, Index first, Index last) {
        for (Index i = first; i < last; ++i)
            add_session(sessions, parameters, query, sessions.offsets[i], sessions.offsets[i + 1], sums, totals[query]);
    });
    for (const Totals& total : totals) {
        sums.could_go_on += total.could_go_on;
        sums.went_on += total.went_on;
        sums.log_likelihood += total.log_likelihood;
    }
    return sums;
}

}  // namespace directrank::dynamic_bayesian

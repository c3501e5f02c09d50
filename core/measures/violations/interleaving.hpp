// The most violated ranking of one query, for measures that depend only on how relevant and other documents interleave.
//
// Psi is defined in measures/violations/interleaving.py. Coefficients of documents represent Psi(y*) - Psi(y^), the right
// ranking minus the most violated one.
#pragma once

#include "measures/ranking/levels.hpp"
#include "measures/ranking/sorting.hpp"
#include "scratch.hpp"
#include "span.hpp"

namespace directrank::interleaving {

// The documents of a query by descending score.
struct Order {
    Scratch<Index> documents;
    explicit Order(Span<const double> scores) : documents(scores.size()) { sorting::descending_order(scores, documents); }
};

// The relevant documents and the others, each by descending score: the order they keep in the most violated ranking.
class Split {
  public:
    // `order` has the documents by descending score.
    template <class IsRelevant>
    Split(Span<const double> scores, Span<const Index> order, const IsRelevant& is_relevant)
        : documents_(scores.size()), scores_(scores.size()) {
        const Index n = scores.size();
        for (Index document = 0; document < n; ++document) n_relevant_ += is_relevant(document);
        Index before = 0;
        for (Index i = 0; i < n; ++i) {
            const Index document = order[i];
            const Index relevant = is_relevant(document), among_others = n_relevant_ + i - before;
            const Index at = among_others + relevant * (before - among_others);  // no branch to mispredict
            documents_[at] = document, scores_[at] = scores[document];
            before += relevant;
        }
    }

    Split(Span<const double> scores, Span<const bool> relevant)
        : Split(scores, Order(scores).documents, [&](Index document) { return relevant[document]; }) {}

    Span<const Index> relevant() const { return documents_.slice(0, n_relevant_); }
    Span<const Index> others() const { return documents_.slice(n_relevant_, documents_.size()); }
    Span<const double> relevant_scores() const { return scores_.slice(0, n_relevant_); }
    Span<const double> other_scores() const { return scores_.slice(n_relevant_, scores_.size()); }
    bool has_both() const { return n_relevant_ > 0 && n_relevant_ < documents_.size(); }

  private:
    Index n_relevant_ = 0;
    Scratch<Index> documents_;
    Scratch<double> scores_;
};

// The loss caused by the j-th other document below k relevant ones, up to a term without k:
// gain ((k + 1) slopes[j + k - 1] + table[j + k]), or gain table[j + k] where there are no slopes.
struct Loss {
    double gain;
    Span<const double> table, slopes{};
};

// Writes the number of relevant documents above each other document in the most violated ranking (Yue et al. 2007,
// Algorithm 2).
//
// The j-th other document, counted from 1, is placed on its own: below k relevant ones its objective is, relative to below
// all R,
//
//     its loss - 2/(R N) sum_{i > k} (s_i - s_j)
//
// up to a term without k. The loss has the terms of Yue's eq. (5), summed up, with the tables of the measure. The
// best k never decreases as j grows (Lemma 1), so the range of each j is bounded by the places of its neighbours:
// O(R log N + N) in all, where the paper's loop takes O(R N). Scores are descending.
void most_violated_places(Span<const double> relevant, Span<const double> others, const Loss& loss, Span<Index> places);

// Writes the coefficient of each document of a ranking in which `places[j]` relevant documents rank above other document j,
// and the number of others above each relevant document.
inline void pair_coefficients(Span<const Index> relevant, Span<const Index> others, Span<const Index> places,
                              Span<double> coefficients, Span<Index> above) {
    const double pairs = 2.0 / static_cast<double>(relevant.size() * others.size());
    std::fill(above.begin(), above.end(), 0);
    for (Index j = 0; j < others.size(); ++j) {
        coefficients[others[j]] = -pairs * static_cast<double>(relevant.size() - places[j]);
        if (places[j] < relevant.size()) ++above[places[j]];
    }
    Index total = 0;
    for (Index i = 0; i < relevant.size(); ++i) {
        above[i] = total += above[i];
        coefficients[relevant[i]] = pairs * static_cast<double>(total);
    }
}

// Writes the coefficients of the most violated ranking, and the number of others above each relevant document.
inline void place(const Split& split, const Loss& loss, Span<double> coefficients, Span<Index> above) {
    const Scratch<Index> places(split.others().size());
    most_violated_places(split.relevant_scores(), split.other_scores(), loss, places);
    pair_coefficients(split.relevant(), split.others(), places, coefficients, above);
}

// A query in which all rankings are alike: coefficients and loss are 0.
inline double no_violation(Span<double> coefficients) {
    std::fill(coefficients.begin(), coefficients.end(), 0.0);
    return 0;
}

// For a mean of g(r) + A h(r) over the relevant documents, with g = `alone` and h = `each_above`. Returns the loss.
inline double precisions(Span<const double> scores, Span<const bool> is_relevant, Span<const double> alone,
                         Span<const double> each_above, Span<const double> table, Span<double> coefficients) {
    const Split split(scores, is_relevant);
    if (!split.has_both()) return no_violation(coefficients);
    const Index n_relevant = split.relevant().size();
    const Scratch<Index> above(n_relevant);
    place(split, {1.0 / static_cast<double>(n_relevant), table, each_above}, coefficients, above);
    double earned = 0;
    for (Index i = 0; i < n_relevant; ++i) earned += alone[i + above[i]] + static_cast<double>(i) * each_above[i + above[i]];
    return 1 - earned / static_cast<double>(n_relevant);
}

// For a sum of convex discounts D over the relevant documents, relative to the `best` ranking. Returns the loss.
//
// Relevant document i below j others instead of j - 1 loses (D(i + j - 1) - D(i + j))/best. Summed over i > k this is
// D(j + k)/best plus a term without k.
inline double one_gain(const Split& split, double best, Span<const double> discounts, Span<double> coefficients) {
    const Scratch<Index> above(split.relevant().size());
    place(split, {1 / best, discounts}, coefficients, above);
    double value = 0;
    for (Index i = 0; i < split.relevant().size(); ++i) value += discounts[i + 1 + above[i]];
    return 1 - value / best;
}

// For a sum of gains times discounts: the violations of all steps from one gain to the next, each weighted by its share of
// the value of the best ranking. Returns the loss.
inline double several_gains(Span<const double> scores, Span<const double> gains, Span<const double> to_rank,
                            Span<const double> discounts, Span<double> coefficients) {
    no_violation(coefficients);
    const auto levels = levels::distinct(gains);
    Array<Index> n_earning(levels.size());  // documents from each level up
    Index n_above = 0;
    for (Index i = levels.size() - 1; i >= 0; --i) n_earning[i] = n_above += levels.counts[i];
    double ideal = 0, lower = 0;
    for (Index i = 0; i < levels.size(); ++i) {
        ideal += (levels.values[i] - lower) * to_rank[n_earning[i]];
        lower = levels.values[i];
    }
    if (levels.size() == 1 || ideal == 0) return 0;
    const Order order(scores);
    const Scratch<double> step_coefficients(scores.size());
    double loss = 0;
    for (Index i = 1; i < levels.size(); ++i) {
        const double level = levels.values[i];
        const Split split(scores, order.documents, [&](Index document) { return gains[document] >= level; });
        const double best = to_rank[split.relevant().size()];
        const double weight = (level - levels.values[i - 1]) * best / ideal;
        loss += weight * one_gain(split, best, discounts, step_coefficients);
        for (Index document = 0; document < scores.size(); ++document)
            coefficients[document] += weight * step_coefficients[document];
    }
    return loss;
}

// For a discount of 1 at the first `depth` ranks and 0 beyond: its convex minorant D is 1 at rank 1 and falls linearly to 0
// at rank depth + 1. Returns the loss.
inline double first_ranks(Span<const double> scores, Span<const bool> is_relevant, Index depth, Span<double> coefficients) {
    const Split split(scores, is_relevant);
    if (!split.has_both()) return no_violation(coefficients);
    const Index n = scores.size(), n_earning = std::min(n, depth);
    const Scratch<double> discounts(n + 1);
    discounts[0] = 0;
    for (Index rank = 1; rank <= n; ++rank)
        discounts[rank] = rank <= n_earning ? -1 / static_cast<double>(depth) * static_cast<double>(rank - 1) + 1 : 0;
    return one_gain(split, static_cast<double>(std::min(split.relevant().size(), depth)), discounts, coefficients);
}

// For the reciprocal rank of the first relevant document, 0 beyond rank k. Returns the loss.
//
// Let m others rank above all relevant documents: the loss is 1 - 1/(m + 1), and the m with the highest scores go there. The
// others rank below the first relevant document and, among the rest, by score. The objective of other document j is
// sum_i (s_j - s_i) above all, and sum_{i > 1} max(0, s_j - s_i) otherwise; the difference increases with s_j.
inline double first_relevant(Span<const double> scores, Span<const bool> is_relevant, Index k, Span<double> coefficients) {
    const Split split(scores, is_relevant);
    if (!split.has_both()) return no_violation(coefficients);
    const auto relevant = split.relevant_scores(), others = split.other_scores();
    const double pairs = 2.0 / static_cast<double>(relevant.size() * others.size());
    const Scratch<Index> places(others.size()), above(relevant.size());
    Index best = 0, place = 1;  // relevant documents above by score, the first always included
    double best_value = 0, value = 0, loss = 0, above_sum = relevant[0];
    for (Index j = 0; j < others.size(); ++j) {
        for (; place < relevant.size() && relevant[place] >= others[j]; ++place) above_sum += relevant[place];
        places[j] = place;
        // Above all instead: the relevant documents that stood above change sides.
        value += pairs * (static_cast<double>(place) * others[j] - above_sum);
        const double loss_above = 1 - (j + 2 <= k ? 1 / static_cast<double>(j + 2) : 0);
        if (loss_above + value > best_value) best = j + 1, best_value = loss_above + value, loss = loss_above;
    }
    for (Index j = 0; j < best; ++j) places[j] = 0;
    pair_coefficients(split.relevant(), split.others(), places, coefficients, above);
    return loss;
}

}  // namespace directrank::interleaving

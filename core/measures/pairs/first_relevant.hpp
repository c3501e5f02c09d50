// Lambdas of measures of the first relevant document; formulas are in measures/pairs/first_relevant.py.
#pragma once

#include "measures/pairs/pair_loop.hpp"
#include "measures/ranking/sorting.hpp"
#include "measures/ranking/ties.hpp"
#include "span.hpp"

namespace directrank::first_relevant {

// A query by rank, in its tie groups.
class TieGroups {
  public:
    TieGroups(Span<const double> scores, Span<const bool> relevant, bool by_distance)
        : ranking_(scores), e_(2, scores.size()), starts_(scores.size() + 1), n_relevant_(scores.size()) {
        Index n = 0;
        for (Index start = 0, end = 0; start < scores.size(); start = end, ++n) {
            end = ties::group_end(ranking_.scores, start);
            starts_[n] = start, n_relevant_[n] = 0;
            for (Index rank = start; rank < end; ++rank) n_relevant_[n] += relevant[ranking_.order[rank]];
        }
        starts_[n] = scores.size();
        n_relevant_.shrink(n);
        for (Index group = 0; group < n; ++group) e_[0][group] = ranking_.scores[starts_[group]];
        odds_ = pair_loop::exponentials(n, e_[0], by_distance, e_[1]);
    }

    Index count() const { return n_relevant_.size(); }
    // First rank of a group, from 0; number of its documents; number of its relevant documents.
    Index start(Index group) const { return starts_[group]; }
    Index size(Index group) const { return starts_[group + 1] - starts_[group]; }
    Index n_relevant(Index group) const { return n_relevant_[group]; }
    // The documents of a group.
    Span<const Index> documents(Index group) const { return ranking_.order.slice(starts_[group], starts_[group + 1]); }
    // Probabilities that a document of one group beats one of another, and the reverse; and the weight of the pair.
    pair_loop::Odds odds(Index one, Index other) const {
        const double mine = e_[1][one], theirs = e_[1][other];
        return odds_ == pair_loop::OddsKind::DISTANCE ? pair_loop::DistanceOdds::of(mine, theirs)
               : odds_ == pair_loop::OddsKind::SPREAD ? pair_loop::SpreadOdds::of(mine, theirs)
                                                      : pair_loop::RatioOdds::of(mine, theirs);
    }

  private:
    sorting::Ranking ranking_;
    PaddedRows e_;
    pair_loop::OddsKind odds_;
    Array<Index> starts_, n_relevant_;
};

// Mean of h at the first of n documents placed at random among m, from rank `start`.
inline double first_value(Span<const double> h, Index start, Index m, Index n) {
    double value = 0, probability = static_cast<double>(n) / static_cast<double>(m);
    for (Index x = 0; x < std::min(m - n + 1, h.size() - start); ++x) {
        value += probability * h[start + x];
        probability *= x < m - 1 ? static_cast<double>(m - x - n) / static_cast<double>(m - x - 1) : 0.0;
    }
    return value;
}

// Writes, for each group, the value if the moving document is there; of the other relevant documents `n_rest` are in group
// `rest`, and none above it.
inline void values_with(Span<const double> h, const TieGroups& groups, Index rest, Index n_rest, Span<double> values) {
    for (Index group = 0; group < std::min(rest, groups.count()); ++group)
        values[group] = first_value(h, groups.start(group), groups.size(group), 1);
    if (rest == groups.count()) return;
    values[rest] = first_value(h, groups.start(rest), groups.size(rest), n_rest + 1);
    const auto below = values.slice(rest + 1, groups.count());
    std::fill(below.begin(), below.end(), first_value(h, groups.start(rest), groups.size(rest), n_rest));
}

// Mean change when a relevant and a non-relevant document of the first group swap.
//
// Place the two and the other relevant documents, n in all, at random in the group. The swap changes the value where the
// first of the n is one of the two, which has probability 2/n, and then from h at the first to h at the second.
inline double mean_change_in_group(Span<const double> h, const TieGroups& groups, Index group) {
    const Index start = groups.start(group), size = groups.size(group);
    if (groups.n_relevant(group) == size) return 0;
    const auto m = static_cast<double>(size), n = static_cast<double>(groups.n_relevant(group) + 1);
    double second_value = 0, probability = n * (n - 1) / (m * (m - 1));
    for (Index place = 1; place < std::min(size - groups.n_relevant(group) + 1, h.size() - start); ++place) {
        const auto x = static_cast<double>(place);
        second_value += probability * h[start + place];
        probability *= place < size - 1 ? (x + 1) / x * (m - x - n + 1) / (m - x - 1) : 0.0;
    }
    return 2 / n * (first_value(h, start, size, groups.n_relevant(group) + 1) - second_value);
}

// Sums of each group's relevant documents, and of its others.
class GroupSums {
  public:
    explicit GroupSums(const TieGroups& groups) : groups_(groups), sums_(Table<double>::zeros(4, groups.count())) {}

    // Adds all pairs of a relevant document of the source group and a non-relevant one of the target.
    void add_pairs(Index source, Index target, double change) {
        const pair_loop::Odds odds = groups_.odds(source, target);
        const double pair_gradient = odds.weight * change * odds.j_wins, pair_hessian = pair_gradient * odds.i_wins;
        const auto n_relevant = static_cast<double>(groups_.n_relevant(source));
        const auto n_others = static_cast<double>(groups_.size(target) - groups_.n_relevant(target));
        sums_(RELEVANT_GRADIENT, source) -= n_others * pair_gradient;
        sums_(RELEVANT_HESSIAN, source) += n_others * pair_hessian;
        sums_(OTHER_GRADIENT, target) += n_relevant * pair_gradient;
        sums_(OTHER_HESSIAN, target) += n_relevant * pair_hessian;
    }

    void write(Span<const bool> relevant, Span<double> gradient, Span<double> hessian) const {
        for (Index group = 0; group < groups_.count(); ++group)
            for (const Index document : groups_.documents(group)) {
                gradient[document] = sums_(relevant[document] ? RELEVANT_GRADIENT : OTHER_GRADIENT, group);
                hessian[document] = sums_(relevant[document] ? RELEVANT_HESSIAN : OTHER_HESSIAN, group);
            }
    }

  private:
    enum : Index { RELEVANT_GRADIENT, OTHER_GRADIENT, RELEVANT_HESSIAN, OTHER_HESSIAN };
    const TieGroups& groups_;
    Table<double> sums_;
};

// Writes the lambdas of one query: for each group with a relevant document and each other group, the change is the value
// with that document there minus the value with it here.
inline void sum(Span<const double> scores, Span<const bool> relevant, Span<const double> h, bool by_distance,
                Span<double> gradient, Span<double> hessian) {
    const TieGroups groups(scores, relevant, by_distance);
    Array<Index> with_relevant(groups.count());
    Index n_with = 0;
    for (Index group = 0; group < groups.count(); ++group)
        if (groups.n_relevant(group) > 0) with_relevant[n_with++] = group;
    if (n_with == 0) return;
    const Index first = with_relevant[0];
    GroupSums sums(groups);
    Array<double> values(groups.count());
    for (Index k = 0; k < n_with; ++k) {
        const Index source = with_relevant[k];
        // Without the moving document: the first group with a relevant one, and its number of relevant documents.
        if (k == 0 && groups.n_relevant(first) > 1)
            values_with(h, groups, first, groups.n_relevant(first) - 1, values);
        else if (k == 0 && n_with > 1)
            values_with(h, groups, with_relevant[1], groups.n_relevant(with_relevant[1]), values);
        else if (k == 0)
            values_with(h, groups, groups.count(), 0, values);
        else if (k == 1)  // and the same for all that follow
            values_with(h, groups, first, groups.n_relevant(first), values);
        for (Index target = 0; target < (k == 0 ? groups.count() : first + 1); ++target) {
            const double change =
                target == source ? mean_change_in_group(h, groups, source) : std::fabs(values[target] - values[source]);
            if (change > 0) sums.add_pairs(source, target, change);
        }
    }
    sums.write(relevant, gradient, hessian);
}

}  // namespace directrank::first_relevant

#include "bindings/kernels.hpp"
#include "clicks/chain_model.hpp"
#include "clicks/dynamic_bayesian.hpp"
#include "clicks/examination_model.hpp"
#include "clicks/user_browsing.hpp"

using namespace directrank;

namespace {

// Checks that logarithms of these probabilities, and of one minus them, exist.
void check_inner(Span<const double> probabilities) {
    bool ok = true;
    for (const double p : probabilities) ok &= (p > 0) & (p < 1);
    if (!ok) throw std::invalid_argument("a probability that is not above 0 and below 1");
}

// Checks that the ranks of each session ascend from 1 on.
void check_ranks(Span<const Index> rank, Span<const Index> offsets) {
    check_range(rank, 1, TOO_MANY_DOCUMENTS);
    for (Index s = 0; s + 1 < offsets.size(); ++s)
        for (Index i = offsets[s] + 1; i < offsets[s + 1]; ++i)
            if (rank[i] <= rank[i - 1]) throw std::invalid_argument("ranks of a session that do not ascend");
}

// Maximum number of ranks of the user browsing model, whose places are as many as its square.
constexpr Index MAX_DEPTH = 1 << 12;

void check_depth(Index depth) {
    if (depth < 1 || depth > MAX_DEPTH) throw std::invalid_argument("a depth outside of 1 to 4096");
}

std::tuple<Array<double>, Array<double>, double> examination_expectations(
    Span<const Index> offsets, Span<const Index> place, Span<const Index> shown, Span<const Index> clicked,
    Span<const double> attractiveness, Span<const double> examination) {
    check_queries(offsets, {place.size(), shown.size(), clicked.size()});
    check_length(offsets.size() - 1, {attractiveness.size()});
    check_range(place, 0, examination.size());
    check_inner(attractiveness);
    check_inner(examination);
    auto sums = examination_model::expectations({offsets, place, shown, clicked}, attractiveness, examination);
    return {std::move(sums.attractive), std::move(sums.examined), sums.log_likelihood};
}

std::tuple<Array<double>, Array<double>, double, double, double> dynamic_bayesian_expectations(
    Span<const Index> offsets, Span<const Index> pair, Span<const bool> clicked, Span<const Index> query_offsets,
    Span<const Index> query_of_pair, Span<const double> attractiveness, Span<const double> satisfaction,
    double perseverance) {
    check_queries(offsets, {pair.size(), clicked.size()});
    check_offsets(query_offsets, offsets.size() - 1);
    check_range(pair, 0, query_of_pair.size());
    check_length(query_of_pair.size(), {attractiveness.size(), satisfaction.size()});
    check_inner(attractiveness);
    check_inner(satisfaction);
    check_inner({&perseverance, 1});
    auto sums = dynamic_bayesian::expectations({offsets, pair, query_offsets, query_of_pair, clicked},
                                               {attractiveness, satisfaction, perseverance});
    return {std::move(sums.examined), std::move(sums.satisfied), sums.could_go_on, sums.went_on, sums.log_likelihood};
}

}  // namespace

DIRECTRANK_KERNELS(click_models) {
    m.def("examination_expectations", &examination_expectations, released);
    m.def("dynamic_bayesian_expectations", &dynamic_bayesian_expectations, released);
    m.def(
        "chain_given_clicks",
        [](Span<const Index> offsets, Span<const bool> clicked, Span<const double> attractiveness,
           Span<const double> after_click, Span<const double> after_skip) {
            check_queries(offsets, {clicked.size(), attractiveness.size(), after_click.size(), after_skip.size()});
            Array<double> probability(clicked.size());
            for_each_query(offsets, [&](Index, Index start, Index end) {
                chain_model::given_clicks({attractiveness.slice(start, end), after_click.slice(start, end),
                                           after_skip.slice(start, end)},
                                          clicked.slice(start, end), probability.slice(start, end));
            });
            return probability;
        },
        released);
    m.def(
        "chain_marginals",
        [](Span<const Index> offsets, Span<const double> attractiveness, Span<const double> after_click,
           Span<const double> after_skip) {
            check_queries(offsets, {attractiveness.size(), after_click.size(), after_skip.size()});
            Array<double> probability(attractiveness.size());
            for_each_query(offsets, [&](Index, Index start, Index end) {
                chain_model::marginals({attractiveness.slice(start, end), after_click.slice(start, end),
                                        after_skip.slice(start, end)},
                                       probability.slice(start, end));
            });
            return probability;
        },
        released);
    m.def(
        "browsing_places",
        [](Span<const Index> offsets, Span<const Index> rank, Span<const bool> clicked, Index depth) {
            check_queries(offsets, {rank.size(), clicked.size()});
            check_ranks(rank, offsets);
            check_depth(depth);
            Array<Index> place(rank.size());
            for_each_query(offsets, [&](Index, Index start, Index end) {
                user_browsing::places(rank.slice(start, end), clicked.slice(start, end), depth, place.slice(start, end));
            });
            return place;
        },
        released);
    m.def(
        "browsing_marginals",
        [](Span<const Index> offsets, Span<const Index> rank, Span<const double> attractiveness,
           Span<const double> examination, Index depth) {
            check_queries(offsets, {rank.size(), attractiveness.size()});
            check_ranks(rank, offsets);
            check_depth(depth);
            check_length(user_browsing::n_places(depth), {examination.size()});
            Array<double> probability(rank.size());
            for_each_query(offsets, [&](Index, Index start, Index end) {
                user_browsing::marginals(rank.slice(start, end), attractiveness.slice(start, end), examination, depth,
                                         probability.slice(start, end));
            });
            return probability;
        },
        released);
}

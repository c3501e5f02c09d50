#include "measures/pairs/strata.hpp"

#include <algorithm>

namespace directrank::strata {
namespace {

// Smallest number of documents of a stratum.
constexpr Index MIN_SIZE = 2048;

// Largest number of ranges of grades that are dealt to the strata one by one.
constexpr Index MAX_RANGES = 16;

// Range of grades of each level: its own, or one of about as many documents as the others.
Index range_of(Index level, Span<const Index> starts) {
    const Index n_levels = starts.size() - 1;
    return n_levels <= MAX_RANGES ? level : starts[level] * MAX_RANGES / starts[n_levels];
}

}  // namespace

Index count(Index n, Index n_pairs, Index max_visited_pairs) {
    const Index wanted = (n_pairs + max_visited_pairs - 1) / std::max<Index>(max_visited_pairs, 1);
    return std::clamp<Index>(wanted, 1, std::max<Index>(n / MIN_SIZE, 1));
}

// Deals the documents to the strata in turn, by grade and then by score, so that each stratum has its share of the grades
// and of the scores.
Strata::Strata(Span<const Index> ranked, Span<const Index> starts, Index count)
    : level_(ranked.size()), documents_(ranked.size()), bounds_(Array<Index>::zeros(count + 1)) {
    Index next[MAX_RANGES];  // turn of the next document of each range
    for (Index a = starts.size() - 2; a >= 0; --a) {
        next[range_of(a, starts)] = starts[a];
        std::fill(level_.begin() + starts[a], level_.begin() + starts[a + 1], a);
    }
    Array<Index> stratum(ranked.size());
    for (const Index document : ranked) {
        stratum[document] = next[range_of(level_[document], starts)]++ % count;
        ++bounds_[stratum[document] + 1];
    }
    for (Index s = 0; s < count; ++s) bounds_[s + 1] += bounds_[s];
    Array<Index> places(count);
    std::copy_n(bounds_.begin(), count, places.begin());
    for (Index document = 0; document < ranked.size(); ++document) documents_[places[stratum[document]]++] = document;
}

Array<Index> Strata::starts(Index stratum) const {
    const Span<const Index> members = documents(stratum);
    Array<Index> starts(members.size() + 1);
    Index n_levels = 0;
    for (Index k = 0; k < members.size(); ++k)
        if (k == 0 || level_[members[k]] != level_[members[k - 1]]) starts[n_levels++] = k;
    starts[n_levels] = members.size();
    starts.shrink(n_levels + 1);
    return starts;
}

}  // namespace directrank::strata

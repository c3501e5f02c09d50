// Reciprocal rank and expected reciprocal rank of one query; the definitions are in measures/reciprocal_rank.py.
#pragma once

#include "measures/ranking/partial.hpp"
#include "measures/ranking/ties.hpp"
#include "span.hpp"

namespace directrank::reciprocal_rank {

// The first relevant document: the numbers of documents above its tie group, in the group, and relevant in the group, which
// is 0 if there is no relevant document.
struct First {
    Index above, tied, relevant;
};
First find_first(Span<const double> scores, Span<const bool> relevant);

// Reciprocal rank: mean over the orders of the tie group of the first relevant document, place by place.
inline double value(Span<const double> scores, Span<const bool> relevant, Index k) {
    const First first = find_first(scores, relevant);
    if (first.relevant == 0) return 0;
    const auto r = static_cast<double>(first.relevant);
    double total = 0, none_yet = 1;
    const Index places = std::min(first.tied, std::max<Index>(k, 0) - first.above);
    for (Index i = 0; i < places; ++i) {
        const auto left = static_cast<double>(first.tied - i);
        total += none_yet * r / left / static_cast<double>(first.above + i + 1);
        none_yet *= (left - r) / left;
    }
    return total;
}

// A user on the way down a ranking: the next place, the probability of reaching it, and the value so far.
struct Reader {
    Index place = 0;
    double reach = 1, earned = 0;
    bool reads_on(Index last) const { return place < last && reach > 0; }
};

// Reads down to the next tie group; the user stops at each document with probability `stop`.
inline Reader read_alone(Span<const double> scores, Span<const double> stop, Index last, Reader reader) {
    const auto is_alone = [&](Index i) { return i + 1 == scores.size() || scores[i + 1] != scores[i]; };
    for (; reader.reads_on(last) && is_alone(reader.place); ++reader.place) {
        reader.earned += reader.reach * stop[reader.place] / static_cast<double>(reader.place + 1);
        reader.reach *= 1 - stop[reader.place];
    }
    return reader;
}

// Reads through a tie group whose first `places` ranks count.
void read_group(Span<const double> stop, Index places, Reader& reader);

// Expected reciprocal rank.
inline double expected(Span<const double> scores, Span<const double> stop, Index k) {
    const partial::Ranked<double> top(scores, stop, k);
    const Index last = std::min(ties::ranked_end(top.scores), k);
    Reader reader;
    while (reader.reads_on(last)) {
        reader = read_alone(top.scores, top.values, last, reader);
        if (!reader.reads_on(last)) break;
        const Index start = reader.place, end = ties::group_end(top.scores, start);
        read_group(top.values.slice(start, end), std::min(end, last) - start, reader);
    }
    return reader.earned;
}

// Writes the lambdas of expected reciprocal rank. Tied documents are taken in the worst order; tied documents of equal grade
// get the mean of their sums.
//
// With the stopping probabilities R, a swap of ranks a < b changes ERR by
//
//     P_a (R_b - R_a) (h(a) - M - Q h(b))
//
// where P_a is the probability of reaching a, and h(r) = 1/r up to rank k, 0 beyond. For a user who continues at a, M is the
// expected value from the ranks between a and b, and Q the probability of passing them all.
void expected_lambdas(Span<const double> scores, Span<const double> grades, Span<const double> stop, Index k,
                      bool by_distance, Span<double> gradient, Span<double> hessian);

}  // namespace directrank::reciprocal_rank

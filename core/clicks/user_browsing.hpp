// Places of the user browsing model: a rank, and the distance to the click above; see
// clicks/click_models/user_browsing.py.
#pragma once

#include <algorithm>

#include "scratch.hpp"
#include "span.hpp"

namespace directrank::user_browsing {

inline Index n_places(Index depth) { return depth * (depth + 1) / 2; }

// Number of the place of a rank whose click above is at another rank, 0 if there is none.
//
// Ranks below `depth` count as `depth`, and distances to a click above as at most depth - 1.
inline Index place(Index rank, Index above, Index depth) {
    Index distance = rank - above;
    if (rank > depth) distance = above == 0 ? depth : std::clamp<Index>(distance, 1, std::max<Index>(depth - 1, 1)), rank = depth;
    return rank * (rank - 1) / 2 + distance - 1;
}

// Place of each document of a session, whose ranks ascend.
inline void places(Span<const Index> rank, Span<const bool> clicked, Index depth, Span<Index> place_of) {
    Index above = 0;
    for (Index i = 0; i < rank.size(); ++i) {
        place_of[i] = place(rank[i], above, depth);
        if (clicked[i]) above = rank[i];
    }
}

// Probability of a click on each document of a session, whatever is clicked above it.
//
// reached[j] is the probability that the lowest click so far is on document j - 1, reached[0] that there is none.
inline void marginals(Span<const Index> rank, Span<const double> attractiveness, Span<const double> examination, Index depth,
                      Span<double> probability) {
    const Scratch<double> reached(rank.size() + 1);
    reached[0] = 1;
    for (Index i = 0; i < rank.size(); ++i) {
        double total = 0;
        for (Index j = 0; j <= i; ++j) {
            const double click = examination[place(rank[i], j == 0 ? 0 : rank[j - 1], depth)] * attractiveness[i];
            total += reached[j] * click;
            reached[j] *= 1 - click;
        }
        reached[i + 1] = probability[i] = total;
    }
}

}  // namespace directrank::user_browsing

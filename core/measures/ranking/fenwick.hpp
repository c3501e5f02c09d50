// Fenwick trees: how many entries of each level, from 0, were added so far.
#pragma once

#include "span.hpp"

namespace directrank::fenwick {

class Tree {
  public:
    explicit Tree(Index n_levels) : counts_(Array<Index>::zeros(n_levels + 1)) {}

    void add(Index level) {
        for (Index node = level + 1; node < counts_.size(); node += node & -node) ++counts_[node];
    }

    // Number of entries below a level.
    Index count_below(Index level) const {
        Index count = 0;
        for (Index node = level; node > 0; node -= node & -node) count += counts_[node];
        return count;
    }

  private:
    Array<Index> counts_;  // the first is not used
};

}  // namespace directrank::fenwick

// Running counts of documents by level: the number of documents added so far that are at a level or below it.
#pragma once

#include "measures/ranking/levels.hpp"
#include "scratch.hpp"
#include "span.hpp"

namespace directrank::level_counts {

// Two levels.
class Two {
  public:
    explicit Two(Index) {}

    void add(std::int32_t level) { ++at_most_[1], at_most_[0] += level == 0; }
    Index count_to(std::int32_t level) const { return at_most_[level]; }

  private:
    Index at_most_[2] = {};
};

// Few levels: a count of each, updated without branches.
class Few {
  public:
    static constexpr Index MAX_LEVELS = 16;

    explicit Few(Index) {}

    void add(std::int32_t level) {
        for (std::int32_t i = 0; i < MAX_LEVELS; ++i) at_most_[i] += i >= level;
    }
    Index count_to(std::int32_t level) const { return at_most_[level]; }

  private:
    std::int32_t at_most_[MAX_LEVELS] = {};
};

// Many levels: a Fenwick tree, in which adding and counting take logarithmic time.
class Fenwick {
  public:
    explicit Fenwick(Index n_levels) : tree_(n_levels + 1) { std::fill_n(tree_.data(), tree_.size(), 0); }

    void add(std::int32_t level) {
        for (Index i = level + 1; i < tree_.size(); i += i & -i) ++tree_[i];
    }
    Index count_to(std::int32_t level) const {
        Index count = 0;
        for (Index i = level + 1; i > 0; i -= i & -i) count += tree_[i];
        return count;
    }

  private:
    const Scratch<std::int32_t> tree_;  // the first entry is not used
};

// Calls `work(counts)` with the kind of counts that suits the number of levels.
template <class Work>
auto with_counts(Index n_levels, const Work& work) {
    const auto with = [&](auto counts) { return work(counts); };
    return n_levels <= 2 ? with(Two(n_levels)) : n_levels <= Few::MAX_LEVELS ? with(Few(n_levels)) : with(Fenwick(n_levels));
}

// Number of documents of each level.
inline void count(Span<const std::int32_t> level, Span<Index> sizes) {
    std::fill(sizes.begin(), sizes.end(), 0);
    for (const std::int32_t one : level) ++sizes[one];
}

// Whether all levels are from 0 to below n_levels, and n_levels is at most the number of documents.
inline bool are_valid(Span<const std::int32_t> level, Index n_levels) {
    bool valid = n_levels >= 0 && n_levels <= level.size();
    for (const std::int32_t one : level) valid &= one >= 0 && one < n_levels;
    return valid;
}

}  // namespace directrank::level_counts

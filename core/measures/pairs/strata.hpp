// Strata: evenly spaced samples of the documents of a query that has too many pairs to visit. Each document is in one of
// them, and the pairs within a stratum stand for all pairs of its documents.
#pragma once

#include "span.hpp"

namespace directrank::strata {

// Number of strata of a query of n documents, with which about `max_visited_pairs` of its pairs are visited; more pairs
// where strata would be too small to estimate a sum.
Index count(Index n, Index n_pairs, Index max_visited_pairs);

class Strata {
  public:
    // Documents are numbered by ascending grade: `starts` has the start of each grade, and the end, and `ranked` the
    // documents by descending score, ties by ascending number.
    Strata(Span<const Index> ranked, Span<const Index> starts, Index count);

    Index count() const { return bounds_.size() - 1; }
    // Documents of one stratum, by ascending grade.
    Span<const Index> documents(Index stratum) const {
        return Span<const Index>(documents_).slice(bounds_[stratum], bounds_[stratum + 1]);
    }
    // Start of each grade that occurs among the documents of one stratum, and the end.
    Array<Index> starts(Index stratum) const;

  private:
    Array<Index> level_, documents_, bounds_;
};

}  // namespace directrank::strata

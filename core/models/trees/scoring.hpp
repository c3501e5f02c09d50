// Scoring rows with trees, dense or sparse, with LightGBM's decisions and sums to the last bit; see models/trees/tree.py.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "span.hpp"

namespace directrank::scoring {

// Values of at most this magnitude are treated as 0, as in LightGBM.
constexpr double ZERO_THRESHOLD = static_cast<double>(1e-35f);

// Values that are missing at a split: none (NaN is treated as 0), 0 and NaN, or NaN.
enum Missing : Index { NO_MISSING, ZERO, NAN_ONLY };

// A split, or a leaf, whose children are itself.
struct Node {
    double threshold;
    std::int32_t feature;
    std::int32_t children[2];  // left, right
    bool nan_goes_left;
    // Whether 0 goes to the other side than by the threshold.
    bool zero_is_turned;
};

// Concatenated arrays of all trees; see `Tree`. Splits and leaves are numbered within their tree.
struct Arrays {
    Span<const Index> first_split;  // of each tree, and the end
    Span<const Index> feature;
    Span<const double> threshold;
    Span<const Index> left, right, missing;
    Span<const bool> default_left;
    Span<const Index> first_category;  // of each split, and the end; a split without any is numeric
    Span<const Index> category;
    Span<const double> leaf_value;
    Span<const double> constant;          // of linear leaves; empty if no tree has them
    Span<const Index> first_coefficient;  // of each leaf, and the end
    Span<const Index> coefficient_feature;
    Span<const double> coefficient;
};

// Trees prepared to score rows of the features that they use.
class Forest {
  public:
    // The arrays must have been checked.
    explicit Forest(const Arrays& arrays);

    // Features that trees use, ascending.
    const std::vector<Index>& features() const { return features_; }
    Index n_trees() const { return static_cast<Index>(trees_.size()); }

    // Adds the trees to the scores of rows, in the order of the trees, as LightGBM does.
    //
    // A row has the values of the used features, with values that LightGBM treats as 0 replaced by 0.
    void add_to(Span<double> scores, Grid<const double> rows) const;

    // Writes the leaf of each row in each tree, numbered over all trees.
    void find_leaves(Grid<const double> rows, Grid<Index> leaves) const;

  private:
    struct Tree {
        Index first_node, first_leaf;
        std::int32_t n_splits;
        bool is_numeric;
    };

    std::int32_t place_of(Index feature) const {
        return static_cast<std::int32_t>(std::lower_bound(features_.begin(), features_.end(), feature) - features_.begin());
    }
    void append(const Arrays& arrays, Index tree);
    // Calls `work(i, leaf)` with the leaf of each row.
    template <class Work>
    void for_each_leaf(const Tree& tree, Grid<const double> rows, const Work& work) const;
    Index leaf_of(const double* row, const Tree& tree) const;
    bool is_among(double x, Index node) const;
    double value_of(const double* row, Index leaf) const;

    std::vector<Index> features_;
    std::vector<Tree> trees_;
    std::vector<Node> nodes_;  // of each tree its splits, then its leaves
    std::vector<Index> first_category_;  // of each node, and the end
    std::vector<Index> category_;
    std::vector<double> leaf_value_, constant_;
    std::vector<Index> first_coefficient_;
    std::vector<std::int32_t> coefficient_place_;
    std::vector<double> coefficient_;
};

// A value in double precision; 0 if LightGBM treats it as 0.
inline double as_number(double x) { return std::fabs(x) <= ZERO_THRESHOLD ? 0.0 : x; }

}  // namespace directrank::scoring

#include "models/trees/scoring.hpp"

namespace directrank::scoring {
namespace {

// Number of rows that traverse a tree side by side, to hide latencies.
constexpr int GROUP = 8;

inline std::int32_t step(const Node& node, double x) {
    const bool goes_left =
        (x <= node.threshold) ^ ((x == 0) & node.zero_is_turned) ^ ((x != x) & node.nan_goes_left);
    return node.children[!goes_left];
}

// Moves GROUP rows from the root to their leaves. Nodes from `n_splits` on are leaves.
void descend(const Node* nodes, std::int32_t n_splits, const double* rows, Index width, std::int32_t* at) {
    for (int k = 0; k < GROUP; ++k) at[k] = 0;
    bool is_done = n_splits == 0;
    while (!is_done) {
        is_done = true;
        for (int k = 0; k < GROUP; ++k) {
            const Node& node = nodes[at[k]];
            at[k] = step(node, rows[k * width + node.feature]);
            is_done &= at[k] >= n_splits;
        }
    }
}

}  // namespace

Forest::Forest(const Arrays& arrays)
    : features_(arrays.feature.begin(), arrays.feature.end()),
      leaf_value_(arrays.leaf_value.begin(), arrays.leaf_value.end()),
      constant_(arrays.constant.begin(), arrays.constant.end()),
      first_coefficient_(arrays.first_coefficient.begin(), arrays.first_coefficient.end()),
      coefficient_(arrays.coefficient.begin(), arrays.coefficient.end()) {
    features_.insert(features_.end(), arrays.coefficient_feature.begin(), arrays.coefficient_feature.end());
    std::sort(features_.begin(), features_.end());
    features_.erase(std::unique(features_.begin(), features_.end()), features_.end());
    for (const Index feature : arrays.coefficient_feature) coefficient_place_.push_back(place_of(feature));
    nodes_.reserve(static_cast<std::size_t>(arrays.feature.size() + arrays.leaf_value.size()));
    first_category_.push_back(0);
    for (Index tree = 0; tree + 1 < arrays.first_split.size(); ++tree) append(arrays, tree);
}

void Forest::append(const Arrays& arrays, Index tree) {
    const Index start = arrays.first_split[tree], end = arrays.first_split[tree + 1];
    const auto n_splits = static_cast<std::int32_t>(end - start);
    const auto node_of = [&](Index child) { return static_cast<std::int32_t>(child >= 0 ? child : n_splits + ~child); };
    const auto n_categories = category_.size();
    trees_.push_back({static_cast<Index>(nodes_.size()), start + tree, n_splits, true});
    for (Index split = start; split < end; ++split) {
        const double threshold = arrays.threshold[split];
        const bool by_threshold = 0 <= threshold, by_default = arrays.default_left[split];
        const Index missing = arrays.missing[split];
        nodes_.push_back({threshold,
                          place_of(arrays.feature[split]),
                          {node_of(arrays.left[split]), node_of(arrays.right[split])},
                          missing == NO_MISSING ? by_threshold : by_default,
                          missing == ZERO && by_default != by_threshold});
        const auto mine = arrays.category.slice(arrays.first_category[split], arrays.first_category[split + 1]);
        category_.insert(category_.end(), mine.begin(), mine.end());
        first_category_.push_back(static_cast<Index>(category_.size()));
    }
    for (std::int32_t leaf = n_splits; leaf <= 2 * n_splits; ++leaf) {
        nodes_.push_back({0, 0, {leaf, leaf}, false, false});
        first_category_.push_back(static_cast<Index>(category_.size()));
    }
    trees_.back().is_numeric = category_.size() == n_categories;
}

template <class Work>
void Forest::for_each_leaf(const Tree& tree, Grid<const double> rows, const Work& work) const {
    const Index n_grouped = tree.is_numeric ? rows.rows() - rows.rows() % GROUP : 0;
    std::int32_t at[GROUP];
    for (Index i = 0; i < n_grouped; i += GROUP) {
        descend(nodes_.data() + tree.first_node, tree.n_splits, rows[i].data(), rows.columns(), at);
        for (int k = 0; k < GROUP; ++k) work(i + k, tree.first_leaf + at[k] - tree.n_splits);
    }
    for (Index i = n_grouped; i < rows.rows(); ++i) work(i, leaf_of(rows[i].data(), tree));
}

void Forest::add_to(Span<double> scores, Grid<const double> rows) const {
    for (const Tree& tree : trees_)
        for_each_leaf(tree, rows, [&](Index i, Index leaf) { scores[i] += value_of(rows[i].data(), leaf); });
}

void Forest::find_leaves(Grid<const double> rows, Grid<Index> leaves) const {
    for (Index number = 0; number < n_trees(); ++number)
        for_each_leaf(trees_[number], rows, [&](Index i, Index leaf) { leaves(i, number) = leaf; });
}

Index Forest::leaf_of(const double* row, const Tree& tree) const {
    std::int32_t at = 0;
    while (at < tree.n_splits) {
        const Index number = tree.first_node + at;
        const Node& node = nodes_[static_cast<std::size_t>(number)];
        const double x = row[node.feature];
        const bool is_numeric = tree.is_numeric || first_category_[number] == first_category_[number + 1];
        at = is_numeric ? step(node, x) : node.children[!is_among(x, number)];
    }
    return tree.first_leaf + at - tree.n_splits;
}

// Whether the integer part of a value is one of a split's ascending categories.
bool Forest::is_among(double x, Index node) const {
    if (!(x > -1.0 && x < 2147483648.0)) return false;  // also for NaN
    return std::binary_search(category_.begin() + first_category_[node], category_.begin() + first_category_[node + 1],
                              static_cast<Index>(x));
}

double Forest::value_of(const double* row, Index leaf) const {
    if (constant_.empty()) return leaf_value_[leaf];
    double total = constant_[leaf];
    for (Index i = first_coefficient_[leaf]; i < first_coefficient_[leaf + 1]; ++i) {
        const double x = row[coefficient_place_[i]];
        if (x != x) return leaf_value_[leaf];
        total += coefficient_[i] * x;
    }
    return total;
}

}  // namespace directrank::scoring

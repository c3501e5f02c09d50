#include "models/trees/scoring.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;
using namespace nanobind::literals;
using scoring::Forest;

// Number of rows scored together: each tree is read once per block.
constexpr Index BLOCK = 64, ROWS_OF_A_PART = 4 * BLOCK;

// Maximum size of the lookup table from feature to position for sparse rows; features beyond it use binary search.
constexpr Index MAX_TABLE_SIZE = Index{1} << 22;

static void check(const scoring::Arrays& a) {
    const Index n_splits = a.feature.size(), n_trees = a.first_split.size() - 1, n_leaves = n_splits + n_trees;
    check_offsets(a.first_split, n_splits);
    check_length(n_splits, {a.threshold.size(), a.left.size(), a.right.size(), a.missing.size(), a.default_left.size()});
    check_length(n_splits + 1, {a.first_category.size()});
    check_offsets(a.first_category, a.category.size());
    check_length(n_leaves, {a.leaf_value.size()});
    if (!a.constant.empty()) check_length(n_leaves, {a.constant.size(), a.first_coefficient.size() - 1});
    check_offsets(a.first_coefficient, a.coefficient.size());
    check_length(a.coefficient.size(), {a.coefficient_feature.size()});
    constexpr Index MAX_INT32 = std::numeric_limits<std::int32_t>::max();
    check_range(a.feature, 0, MAX_INT32 + 1);
    check_range(a.coefficient_feature, 0, MAX_INT32 + 1);
    check_range(a.missing, scoring::NO_MISSING, scoring::NAN_ONLY + 1);
    for (Index tree = 0; tree < n_trees; ++tree) {
        const Index start = a.first_split[tree], n = a.first_split[tree + 1] - start;
        if (2 * n >= MAX_INT32) throw std::invalid_argument("a tree with too many splits");
        for (Index split = 0; split < n; ++split)
            for (const Index child : {a.left[start + split], a.right[start + split]})
                if (child >= 0 ? child <= split || child >= n : ~child > n)
                    throw std::invalid_argument("a child that is neither a split after its parent nor a leaf");
    }
}

// Calls `work(first, rows)` for each block of rows; `lay_out(i, row)` writes the used features of row i into zeros.
template <class LayOut, class Work>
static void for_each_block_of_rows(const Forest& forest, Index n_rows, const LayOut& lay_out, const Work& work) {
    const auto width = static_cast<Index>(forest.features().size());
    for_each_block(n_rows, ROWS_OF_A_PART, [&](Index start, Index end) {
        Table<double> block(BLOCK, width);
        for (Index first = start; first < end; first += BLOCK) {
            const Grid<double> rows(block.grid().data(), std::min(BLOCK, end - first), width);
            std::fill_n(rows.data(), rows.rows() * width, 0.0);
            for (Index i = 0; i < rows.rows(); ++i) lay_out(first + i, rows[i]);
            work(first, Grid<const double>(rows));
        }
    });
}

template <class Value>
struct Dense {
    Grid<const Value> X;

    Index n_rows() const { return X.rows(); }

    template <class Work>
    void for_each_block(const Forest& forest, const Work& work) const {
        const auto& features = forest.features();
        if (!features.empty() && features.back() >= X.columns()) throw std::invalid_argument("rows with too few features");
        const auto lay_out = [&](Index i, Span<double> row) {
            const Value* from = X[i].data();
            double* to = row.data();
            for (const Index feature : features) *to++ = scoring::as_number(static_cast<double>(from[feature]));
        };
        for_each_block_of_rows(forest, n_rows(), lay_out, work);
    }
};

template <class Value, class Column>
struct Sparse {
    Span<const Value> values;
    Span<const Column> columns, starts;

    Index n_rows() const {
        if (starts.empty() || starts.back() > values.size() || starts.back() > columns.size())
            throw std::invalid_argument("rows that do not fit their values");
        check_offsets(starts, starts.back());
        return starts.size() - 1;
    }

    template <class Work>
    void for_each_block(const Forest& forest, const Work& work) const {
        const auto& features = forest.features();
        // Position plus 1 of each used feature; 0 for the others.
        const Index n_in_table = features.empty() ? 0 : std::min(features.back() + 1, MAX_TABLE_SIZE);
        auto table = Array<std::int32_t>::zeros(n_in_table);
        for (std::size_t k = 0; k < features.size() && features[k] < n_in_table; ++k)
            table[features[k]] = static_cast<std::int32_t>(k + 1);
        const auto place_of = [&](Index column) -> Index {
            if (column >= 0 && column < n_in_table) return table[column] - 1;
            const auto found = std::lower_bound(features.begin(), features.end(), column);
            return found != features.end() && *found == column ? found - features.begin() : -1;
        };
        const auto lay_out = [&](Index i, Span<double> row) {
            for (Index entry = starts[i]; entry < starts[i + 1]; ++entry) {
                const Index place = place_of(columns[entry]);
                if (place >= 0) row[place] = scoring::as_number(static_cast<double>(values[entry]));
            }
        };
        for_each_block_of_rows(forest, n_rows(), lay_out, work);
    }
};

template <class X>
static Array<double> scores(const Forest& forest, const X& x) {
    auto scores = Array<double>::zeros(x.n_rows());
    x.for_each_block(forest, [&](Index first, Grid<const double> rows) {
        forest.add_to(scores.slice(first, first + rows.rows()), rows);
    });
    return scores;
}

template <class X>
static Table<Index> leaves(const Forest& forest, const X& x) {
    Table<Index> leaves(x.n_rows(), forest.n_trees());
    x.for_each_block(forest, [&](Index first, Grid<const double> rows) {
        forest.find_leaves(rows, {leaves[first].data(), rows.rows(), forest.n_trees()});
    });
    return leaves;
}

template <class Value>
static void define_dense(nb::class_<Forest>& forest) {
    forest.def("scores", [](const Forest& self, Grid<const Value> X) { return scores(self, Dense<Value>{X}); }, released);
    forest.def("leaves", [](const Forest& self, Grid<const Value> X) { return leaves(self, Dense<Value>{X}); }, released);
}

template <class Value, class Column>
static void define_sparse(nb::class_<Forest>& forest) {
    using Values = Span<const Value>;
    using Columns = Span<const Column>;
    using X = Sparse<Value, Column>;
    forest.def(
        "scores",
        [](const Forest& self, Values values, Columns columns, Columns starts) {
            return scores(self, X{values, columns, starts});
        },
        released);
    forest.def(
        "leaves",
        [](const Forest& self, Values values, Columns columns, Columns starts) {
            return leaves(self, X{values, columns, starts});
        },
        released);
}

DIRECTRANK_KERNELS(scoring) {
    nb::class_<Forest> forest(m, "Forest");
    forest.def(
        "__init__",
        [](Forest* self, Span<const Index> first_split, Span<const Index> feature, Span<const double> threshold,
           Span<const Index> left, Span<const Index> right, Span<const Index> missing, Span<const bool> default_left,
           Span<const Index> first_category, Span<const Index> category, Span<const double> leaf_value,
           Span<const double> constant, Span<const Index> first_coefficient, Span<const Index> coefficient_feature,
           Span<const double> coefficient) {
            const scoring::Arrays arrays{first_split, feature, threshold, left, right,
                                         missing, default_left, first_category, category, leaf_value,
                                         constant, first_coefficient, coefficient_feature, coefficient};
            check(arrays);
            new (self) Forest(arrays);
        },
        "first_split"_a, "feature"_a, "threshold"_a, "left"_a, "right"_a, "missing"_a, "default_left"_a, "first_category"_a,
        "category"_a, "leaf_value"_a, "constant"_a, "first_coefficient"_a, "coefficient_feature"_a, "coefficient"_a);
    define_dense<float>(forest);
    define_dense<double>(forest);
    define_sparse<float, std::int32_t>(forest);
    define_sparse<float, std::int64_t>(forest);
    define_sparse<double, std::int32_t>(forest);
    define_sparse<double, std::int64_t>(forest);
}

#include "measures/violations/contingency_tables.hpp"

#include <limits>

#include "clones.hpp"
#include "extremes.hpp"
#include "lanes.hpp"

namespace directrank::contingency_tables {
namespace {

// The highest H of a row of tables, all of which have the same S(a).
DIRECTRANK_CLONES
double highest_in_row(double S, const double* values, const double* T, Index n) {
    return highest_in_lanes(n, [=](Index i) { return (S - values[i]) + T[i]; });
}

}  // namespace

Extremes extremes(Span<const double> values) {
    const double least = lowest(values);
    const Index at = std::find(values.begin(), values.end(), least) - values.begin();
    return {least, highest(values), at};
}

Highest search(const Block& block, Span<const double> values, const Sums& sums) {
    Highest found{-std::numeric_limits<double>::infinity(), 0};
    const auto T = sums.T.slice(block.first_b, block.first_b + block.n_columns);
    for (Index row = 0; row < block.n_rows; ++row) {
        const double S = sums.S[block.first_a + row];
        const auto row_values = values.slice(row * block.n_columns, (row + 1) * block.n_columns);
        const double objective = highest_in_row(S, row_values.data(), T.data(), block.n_columns);
        if (objective > found.objective) {
            Index column = 0;
            while (column + 1 < block.n_columns && (S - row_values[column]) + T[column] != objective) ++column;
            found = {objective, row * block.n_columns + column};
        }
    }
    return found;
}

}  // namespace directrank::contingency_tables

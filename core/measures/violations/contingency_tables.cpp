#include "measures/violations/contingency_tables.hpp"

#include "clones.hpp"
#include "lanes.hpp"

namespace directrank::contingency_tables {
namespace {

DIRECTRANK_CLONES
double highest_of(const double* values, Index n) {
    return highest_in_lanes(n, [=](Index i) { return values[i]; });
}

DIRECTRANK_CLONES
double lowest_of(const double* values, Index n) {
    return -highest_in_lanes(n, [=](Index i) { return -values[i]; });
}

// H of a row of tables with S = `of_relevant`.
DIRECTRANK_CLONES
double highest_of_row(double of_relevant, const double* values, const double* of_others, Index n) {
    return highest_in_lanes(n, [=](Index i) { return (of_relevant - values[i]) + of_others[i]; });
}

}  // namespace

Extremes extremes(Span<const double> values) {
    const double lowest = lowest_of(values.data(), values.size());
    const Index at = std::find(values.begin(), values.end(), lowest) - values.begin();
    return {lowest, highest_of(values.data(), values.size()), at};
}

Highest highest(const Block& block, Span<const double> values, const Sums& sums) {
    Highest found{-std::numeric_limits<double>::infinity(), 0};
    const auto of_others = sums.of_others.slice(block.first_b, block.first_b + block.n_columns);
    for (Index row = 0; row < block.n_rows; ++row) {
        const double of_relevant = sums.of_relevant[block.first_a + row];
        const auto of_row = values.slice(row * block.n_columns, (row + 1) * block.n_columns);
        const double objective = highest_of_row(of_relevant, of_row.data(), of_others.data(), block.n_columns);
        if (objective > found.objective) {
            Index column = 0;
            while (column + 1 < block.n_columns && (of_relevant - of_row[column]) + of_others[column] != objective) ++column;
            found = {objective, row * block.n_columns + column};
        }
    }
    return found;
}

}  // namespace directrank::contingency_tables

// Sums of decision stumps; see models/stumps.py.
#pragma once

#include <algorithm>
#include <vector>

#include "span.hpp"

namespace directrank::stumps {

// Number of rows scored together, a column at a time.
constexpr Index BLOCK = 64;

// Distance of columns; a power of two would cause cache conflicts.
constexpr Index STRIDE = BLOCK + 8;

// Adds the weight to each of BLOCK scores whose value is above the threshold.
void add_above(const double* values, double threshold, double weight, double* scores);

// Distinct features of the stumps, and the index of each stump's feature among them.
struct Used {
    std::vector<Index> features;
    std::vector<Index> places;

    explicit Used(Span<const Index> all) : features(all.begin(), all.end()) {
        std::sort(features.begin(), features.end());
        features.erase(std::unique(features.begin(), features.end()), features.end());
        for (const Index feature : all)
            places.push_back(std::lower_bound(features.begin(), features.end(), feature) - features.begin());
    }
};

// Scores up to BLOCK rows, summing in the order of the stumps.
//
// The used columns are first copied to `columns`, with a STRIDE for each.
template <class Value>
void sum_above(Grid<const Value> rows, const Used& used, Span<const double> thresholds, Span<const double> weights,
               Span<double> columns, Span<double> scores) {
    for (Index i = 0; i < rows.rows(); ++i)
        for (std::size_t k = 0; k < used.features.size(); ++k)
            columns[static_cast<Index>(k) * STRIDE + i] = static_cast<double>(rows(i, used.features[k]));
    double sums[BLOCK] = {};
    for (Index stump = 0; stump < thresholds.size(); ++stump) {
        const Index place = used.places[static_cast<std::size_t>(stump)];
        add_above(columns.data() + place * STRIDE, thresholds[stump], weights[stump], sums);
    }
    std::copy_n(sums, scores.size(), scores.begin());
}

}  // namespace directrank::stumps

// Binning of X by thresholds, and sums over the rows of each bin; see learners/boosting/bins.py.
//
// Bins are numbered feature by feature: feature j has bins [starts[j], starts[j + 1]), and its thresholds, one fewer, begin
// at starts[j] - j.
#pragma once

#include "matrix/csr.hpp"
#include "matrix/dense.hpp"
#include "matrix/linear_operator.hpp"
#include "thread_pool.hpp"

namespace directrank::bins {

// Thresholds of a feature.
inline Span<const double> thresholds_of(Span<const double> thresholds, Span<const Index> starts, Index j) {
    return thresholds.slice(starts[j] - j, starts[j + 1] - j - 1);
}

// Number of ascending thresholds below a value; NaN is above all.
//
// A branchless binary search: branches would be mispredicted.
inline Index bin_of(Span<const double> thresholds, double value) {
    Index low = 0;
    for (Index n = thresholds.size(); n > 0;) {
        const Index half = (n + 1) / 2;
        low += !(thresholds[low + half - 1] >= value) ? half : 0;
        n -= half;
    }
    return low;
}

// Bins of the rows in the order of a permutation or, if it is empty, in row order.
template <class T, class Bin>
void bin(const Dense<T>& X, Span<const Index> order, Span<const double> thresholds, Span<const Index> starts,
         Grid<Bin> table) {
    for_each_block(X.rows(), 64, [&](Index first, Index last) {
        for (Index j = 0; j < X.columns(); ++j) {
            const auto own = thresholds_of(thresholds, starts, j);
            for (Index i = first; i < last; ++i)
                table(i, j) = static_cast<Bin>(bin_of(own, X(order.empty() ? i : order[i], j)));
        }
    });
}

template <class T, class I, class Bin>
void bin(Span<const T> data, Span<const I> indices, Span<const double> thresholds, Span<const Index> starts,
         Span<Bin> table) {
    for_each_block(data.size(), 4096, [&](Index first, Index last) {
        for (Index k = first; k < last; ++k)
            table[k] = static_cast<Bin>(bin_of(thresholds_of(thresholds, starts, indices[k]), data[k]));
    });
}

// Adds a value to the bins of a row. Several bins are read before any sum is written, since sums and bins may alias.
template <class Bin>
void add_to_bins(double value, Span<const Bin> row, const Index* starts, double* sums) {
    constexpr Index FEW = 8;
    Index j = 0;
    for (; j + FEW <= row.size(); j += FEW) {
        Index places[FEW];
        for (Index k = 0; k < FEW; ++k) places[k] = starts[j + k] + row[j + k];
        for (const Index place : places) sums[place] += value;
    }
    for (; j < row.size(); ++j) sums[starts[j] + row[j]] += value;
}

// Sum of the values of the rows in each bin, by parts of the rows.
template <class Bin>
Array<double> sums(Grid<const Bin> table, Span<const Index> starts, Span<const double> values, Index n_parts) {
    auto parts = Table<double>::zeros(n_parts, starts.back());
    for_each_part(table.rows(), n_parts, [&](Index part, Index first, Index last) {
        double* sums = parts[part].data();
        for (Index i = first; i < last; ++i) {
            const double value = values[i];
            if (value == 0) continue;
            add_to_bins(value, table[i], starts.data(), sums);
        }
    });
    return linear_operator::sum_of_parts(parts);
}

// The same for a sparse table in row order, and values of its rows in the order of a permutation.
template <class Bin, class I>
Array<double> sums(const Csr<Bin, I>& table, Span<const Index> order, Span<const Index> starts, Span<const double> values,
                   Index n_parts) {
    auto parts = Table<double>::zeros(n_parts, starts.back());
    for_each_part(table.rows(), n_parts, [&](Index part, Index first, Index last) {
        const Span<double> sums = parts[part];
        for (Index i = first; i < last; ++i) {
            const Index row = order.empty() ? i : order[i];
            for (Index k = table.start(row); k < table.end(row); ++k)
                sums[starts[table.indices[k]] + table.data[k]] += values[i];
        }
    });
    return linear_operator::sum_of_parts(parts);
}

// Sum over the higher bins of its feature, for each bin.
inline Array<double> suffix_sums(Span<const double> sums, Span<const Index> starts) {
    auto above = Array<double>::zeros(sums.size());
    for (Index j = 0; j + 1 < starts.size(); ++j)
        for (Index bin = starts[j + 1] - 2; bin >= starts[j]; --bin) above[bin] = above[bin + 1] + sums[bin + 1];
    return above;
}

}  // namespace directrank::bins

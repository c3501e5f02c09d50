// Spread of features within queries; see learners/linear/spread.py.
#pragma once

#include "matrix/csr.hpp"
#include "matrix/dense.hpp"
#include "matrix/linear_operator.hpp"
#include "thread_pool.hpp"

namespace directrank::spread {

// Queries in query order: rows, offsets and weights.
struct Queries {
    Span<const Index> order, offsets;
    Span<const double> weights;

    Index size() const { return weights.size(); }
    Span<const Index> rows(Index q) const { return order.slice(offsets[q], offsets[q + 1]); }
};

// Scales a row by the units; its values are `stride` apart.
void scale(const float* row, Index stride, Index n, const double* units, double* scaled);
void scale(const double* row, Index stride, Index n, const double* units, double* scaled);

// Adds scaled rows, divided by the size of their query, to the means.
void add_to_means(const double* rows, Index n_rows, Index n, double size, double* means);

// Adds weighted absolute and squared deviations of scaled rows from the means, and absolute values.
void add_deviations(const double* rows, Index n_rows, Index n, const double* means, double share, double* sizes,
                    double* squares, double* values);

// Number of scaled values cached from the first pass over a query for the second.
constexpr Index KEPT = 1 << 17;

// Sums over the queries, by parts: absolute deviations, squared deviations, absolute values.
//
// `work(first, last, sizes, squares, values)` adds the sums of some queries.
template <class Work>
Array<double> sum_over_queries(const Queries& queries, Index n_features, Index n_parts, const Work& work) {
    auto found = Table<double>::zeros(n_parts, 3 * n_features);
    for_each_part(queries.size(), n_parts, [&](Index part, Index first, Index last) {
        const Span<double> all = found[part];
        work(first, last, all.slice(0, n_features), all.slice(n_features, 2 * n_features),
             all.slice(2 * n_features, 3 * n_features));
    });
    return linear_operator::sum_of_parts(found);
}

template <class T>
Array<double> deviations(const Dense<T>& X, const Queries& queries, Span<const double> units, Index n_parts) {
    const Index n = X.columns();
    return sum_over_queries(
        queries, n, n_parts,
        [&](Index first, Index last, Span<double> sizes, Span<double> squares, Span<double> values) {
            Array<double> means(n), scaled(std::max(n, KEPT));
            for (Index q = first; q < last; ++q) {
                if (queries.weights[q] == 0) continue;
                const auto rows = queries.rows(q);
                const auto size = static_cast<double>(rows.size());
                std::fill(means.begin(), means.end(), 0.0);
                // A query with more rows than fit the cache is scaled twice.
                const Index n_kept = std::max<Index>(1, KEPT / std::max<Index>(n, 1));
                const auto scale_rows = [&](Index start, Index end) {
                    for (Index i = start; i < end; ++i)
                        scale(X.row(rows[i]), X.column_stride(), n, units.data(), scaled.data() + (i - start) * n);
                };
                for (Index start = 0; start < rows.size(); start += n_kept) {
                    const Index end = std::min(start + n_kept, rows.size());
                    scale_rows(start, end);
                    add_to_means(scaled.data(), end - start, n, size, means.data());
                }
                for (Index start = 0; start < rows.size(); start += n_kept) {
                    const Index end = std::min(start + n_kept, rows.size());
                    if (rows.size() > n_kept) scale_rows(start, end);
                    add_deviations(scaled.data(), end - start, n, means.data(), queries.weights[q] / size, sizes.data(),
                                   squares.data(), values.data());
                }
            }
        });
}

// As for dense X; zeros are added with a feature's first entry and deviate by the absolute mean.
template <class T, class I>
Array<double> deviations(const Csr<T, I>& X, const Queries& queries, Span<const double> units, Index n_parts) {
    return sum_over_queries(
        queries, X.columns, n_parts,
        [&](Index first, Index last, Span<double> sizes, Span<double> squares, Span<double> values) {
            auto means = Array<double>::zeros(X.columns);
            auto zeros = Array<double>::zeros(X.columns);
            for (Index q = first; q < last; ++q) {
                if (queries.weights[q] == 0) continue;
                const auto rows = queries.rows(q);
                const auto size = static_cast<double>(rows.size());
                const double share = queries.weights[q] / size;
                for (const Index row : rows)
                    for (Index k = X.start(row); k < X.end(row); ++k) means[X.indices[k]] = 0, zeros[X.indices[k]] = size;
                for (const Index row : rows)
                    for (Index k = X.start(row); k < X.end(row); ++k) {
                        const Index j = X.indices[k];
                        means[j] += X.data[k] / units[j] / size;
                        zeros[j] -= 1;
                    }
                for (const Index row : rows)
                    for (Index k = X.start(row); k < X.end(row); ++k) {
                        const Index j = X.indices[k];
                        const double value = X.data[k] / units[j];
                        const double deviation = std::abs(value - means[j]), mean = std::abs(means[j]);
                        sizes[j] += share * (deviation + zeros[j] * mean);
                        squares[j] += share * (deviation * deviation + zeros[j] * mean * mean);
                        values[j] += share * std::abs(value);
                        zeros[j] = 0;
                    }
            }
        });
}

}  // namespace directrank::spread

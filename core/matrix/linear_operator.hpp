// Products X w and X^T c; see matrix/linear_operator.py.
//
// A score is summed in lanes. A weighted sum of rows is summed by parts, each in the order of a permutation of the rows or, if
// that is empty, in row order, then over the parts. So the bits depend neither on the layout of X nor on how the work is
// divided.
#pragma once

#include "lanes.hpp"
#include "matrix/csr.hpp"
#include "matrix/dense.hpp"
#include "thread_pool.hpp"

namespace directrank::linear_operator {

// Number of values of X in a unit of work.
constexpr Index BLOCK = 1 << 14;

Array<double> matvec(Dense<float> X, Span<const double> w);
Array<double> matvec(Dense<double> X, Span<const double> w);

Array<double> rmatvec(Dense<float> X, Span<const Index> order, Span<const double> coefficients, Index n_parts);
Array<double> rmatvec(Dense<double> X, Span<const Index> order, Span<const double> coefficients, Index n_parts);

// Sum of the rows of a table, in order.
Array<double> sum_of_parts(Grid<const double> parts);

template <class T, class I>
Array<double> matvec(const Csr<T, I>& X, Span<const double> w) {
    Array<double> values(X.rows());
    const Index size = std::max<Index>(1, BLOCK * X.rows() / (X.indices.size() + 1));
    for_each_block(X.rows(), size, [&](Index first, Index last) {
        for (Index i = first; i < last; ++i) {
            double total = 0;
            for (Index k = X.start(i); k < X.end(i); ++k) total += static_cast<double>(X.data[k]) * w[X.indices[k]];
            values[i] = total;
        }
    });
    return values;
}

template <class T, class I>
Array<double> rmatvec(const Csr<T, I>& X, Span<const Index> order, Span<const double> coefficients, Index n_parts) {
    auto parts = Table<double>::zeros(n_parts, X.columns);
    for_each_part(X.rows(), n_parts, [&](Index part, Index first, Index last) {
        const Span<double> sums = parts[part];
        for (Index i = first; i < last; ++i) {
            const double coefficient = coefficients[i];
            if (coefficient == 0) continue;
            const Index row = order.empty() ? i : order[i];
            for (Index k = X.start(row); k < X.end(row); ++k)
                sums[X.indices[k]] += coefficient * static_cast<double>(X.data[k]);
        }
    });
    return sum_of_parts(parts);
}

}  // namespace directrank::linear_operator

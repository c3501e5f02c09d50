// Transposed blocks of columns; see matrix/columns.py.
#pragma once

#include "matrix/dense.hpp"
#include "thread_pool.hpp"

namespace directrank::columns {

// Columns [start, end), in the order of a permutation of the rows or, if it is empty, in row order.
//
// By blocks of documents, so that each cache line of X is read once.
template <class T>
Table<double> transposed(const Dense<T>& X, Index start, Index end, Span<const Index> permutation) {
    Table<double> block(end - start, X.rows());
    for_each_block(X.rows(), 128, [&](Index first, Index last) {
        for (Index j = start; j < end; ++j) {
            const T* column = X.data() + j * X.column_stride();
            double* values = block[j - start].data();
            if (permutation.empty())
                for (Index i = first; i < last; ++i) values[i] = column[i * X.row_stride()];
            else
                for (Index i = first; i < last; ++i) values[i] = column[permutation[i] * X.row_stride()];
        }
    });
    return block;
}

}  // namespace directrank::columns

// Dense matrices of any layout: row-major, column-major, or strided.
#pragma once

#include "span.hpp"

namespace directrank {

// Prefetches a cache line.
inline void fetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#endif
}

template <class T>
class Dense {
  public:
    Dense() = default;
    Dense(const T* data, Index rows, Index columns, Index row_stride, Index column_stride)
        : data_(data), rows_(rows), columns_(columns), row_stride_(row_stride), column_stride_(column_stride) {}

    const T* data() const { return data_; }
    Index rows() const { return rows_; }
    Index columns() const { return columns_; }
    // Distance of adjacent rows and columns, in values.
    Index row_stride() const { return row_stride_; }
    Index column_stride() const { return column_stride_; }
    bool has_contiguous_rows() const { return column_stride_ == 1; }
    bool has_contiguous_columns() const { return row_stride_ == 1; }
    T operator()(Index row, Index column) const {
        check_index(row, rows_), check_index(column, columns_);
        return data_[row * row_stride_ + column * column_stride_];
    }
    // Start of a row, whose values are `column_stride` apart.
    const T* row(Index i) const { return data_ + i * row_stride_; }
    void fetch_row(Index i) const {
        if (!has_contiguous_rows()) return;
        for (Index j = 0; j < columns_; j += Index{64 / sizeof(T)}) fetch(row(i) + j);
    }

  private:
    const T* data_ = nullptr;
    Index rows_ = 0, columns_ = 0, row_stride_ = 0, column_stride_ = 1;
};

}  // namespace directrank

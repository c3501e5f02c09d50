// A dense matrix of any layout: rows after one another, columns after one another, or every other of them.
#pragma once

#include "span.hpp"

namespace directrank {

// Has a line of memory fetched that is about to be read.
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
    // How far the next row or column is, in values.
    Index row_stride() const { return row_stride_; }
    Index column_stride() const { return column_stride_; }
    bool has_contiguous_rows() const { return column_stride_ == 1; }
    bool has_contiguous_columns() const { return row_stride_ == 1; }
    T operator()(Index row, Index column) const {
        check_index(row, rows_), check_index(column, columns_);
        return data_[row * row_stride_ + column * column_stride_];
    }
    // Where a row begins; its values are `column_stride` apart.
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

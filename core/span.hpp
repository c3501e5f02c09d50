// Views of arrays that Python owns, and owning arrays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace directrank {

using Index = std::int64_t;

// Sanitizer builds check every index; other builds rely on the checks of the bindings.
#ifdef DIRECTRANK_CHECKED
extern "C" void __sanitizer_print_stack_trace();
inline void check_index(Index i, Index size) {
    if (i >= 0 && i < size) return;
    __sanitizer_print_stack_trace();
    std::abort();
}
#else
inline void check_index(Index, Index) {}
#endif

// A view of contiguous values.
template <class T>
class Span {
  public:
    Span() = default;
    Span(T* data, Index size) : data_(data), size_(size) {}
    template <class U, class = std::enable_if_t<std::is_same_v<const U, T>>>
    Span(Span<U> other) : data_(other.data()), size_(other.size()) {}

    T* data() const { return data_; }
    Index size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* begin() const { return data_; }
    T* end() const { return data_ + size_; }
    T& operator[](Index i) const {
        check_index(i, size_);
        return data_[i];
    }
    T& back() const { return (*this)[size_ - 1]; }

    // The values from `start` to before `end`.
    Span slice(Index start, Index end) const {
        if (start != end) check_index(start, end), check_index(end - 1, size_);
        return {data_ + start, end - start};
    }

  private:
    T* data_ = nullptr;
    Index size_ = 0;
};

// A view of a row-major table without padding.
template <class T>
class Grid {
  public:
    Grid() = default;
    Grid(T* data, Index rows, Index columns) : data_(data), rows_(rows), columns_(columns) {}
    template <class U, class = std::enable_if_t<std::is_same_v<const U, T>>>
    Grid(Grid<U> other) : data_(other.data()), rows_(other.rows()), columns_(other.columns()) {}

    T* data() const { return data_; }
    Index rows() const { return rows_; }
    Index columns() const { return columns_; }
    Span<T> operator[](Index row) const {
        check_index(row, rows_);
        return {data_ + row * columns_, columns_};
    }
    T& operator()(Index row, Index column) const { return (*this)[row][column]; }

  private:
    T* data_ = nullptr;
    Index rows_ = 0, columns_ = 0;
};

// Requests huge pages for large arrays, as NumPy does: first touching small pages takes longer than most kernels.
inline void advise_large_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t size) {
#ifdef MADV_HUGEPAGE
    constexpr std::size_t PAGE = 4096, MUCH = std::size_t{1} << 22;
    if (size < MUCH) return;
    const std::size_t before_page = PAGE - reinterpret_cast<std::uintptr_t>(data) % PAGE;
    madvise(static_cast<char*>(data) + before_page, size - before_page, MADV_HUGEPAGE);
#endif
}

// Number of entries of a table.
inline Index n_entries(Index rows, Index columns) {
    if (rows < 0 || columns < 0 || (columns > 0 && rows > std::numeric_limits<Index>::max() / columns))
        throw std::length_error("a table of impossible size");
    return rows * columns;
}

// An owning array, uninitialised by default: scratch space of a kernel, or a result for Python.
template <class T>
class Array {
  public:
    Array() = default;
    explicit Array(Index size) : data_(allocate(size)), size_(size) {}
    Array(Index size, T value) : Array(size) { std::fill(begin(), end(), value); }

    static Array zeros(Index size) {
        check_size(size);
        Array array;
        array.data_.reset(static_cast<T*>(std::calloc(static_cast<std::size_t>(std::max<Index>(size, 1)), sizeof(T))));
        if (!array.data_) throw std::bad_alloc();
        advise_large_pages(array.data(), static_cast<std::size_t>(size) * sizeof(T));
        array.size_ = size;
        return array;
    }

    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    Index size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* begin() { return data_.get(); }
    T* end() { return data_.get() + size_; }
    const T* begin() const { return data_.get(); }
    const T* end() const { return data_.get() + size_; }
    T& operator[](Index i) {
        check_index(i, size_);
        return data_[static_cast<std::size_t>(i)];
    }
    const T& operator[](Index i) const {
        check_index(i, size_);
        return data_[static_cast<std::size_t>(i)];
    }
    Span<T> span() { return {data_.get(), size_}; }
    Span<const T> span() const { return {data_.get(), size_}; }
    operator Span<T>() { return span(); }
    operator Span<const T>() const { return span(); }
    Span<T> slice(Index start, Index end) { return span().slice(start, end); }
    Span<const T> slice(Index start, Index end) const { return span().slice(start, end); }
    // Keeps the first `size` values.
    void shrink(Index size) { size_ = size; }
    T* release() { return data_.release(); }

  private:
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    struct Free {
        void operator()(T* data) const { std::free(data); }
    };
    static void check_size(Index size) {
        if (size < 0 || size > std::numeric_limits<Index>::max() / static_cast<Index>(sizeof(T)))
            throw std::length_error("an array of impossible size");
    }
    static T* allocate(Index size) {
        check_size(size);
        auto* data = static_cast<T*>(std::malloc(static_cast<std::size_t>(std::max<Index>(size, 1)) * sizeof(T)));
        if (!data) throw std::bad_alloc();
        advise_large_pages(data, static_cast<std::size_t>(size) * sizeof(T));
        return data;
    }
    std::unique_ptr<T[], Free> data_;
    Index size_ = 0;
};

// An owning table.
template <class T>
class Table {
  public:
    Table() = default;
    Table(Index rows, Index columns) : values_(n_entries(rows, columns)), rows_(rows), columns_(columns) {}

    static Table zeros(Index rows, Index columns) {
        Table table;
        table.values_ = Array<T>::zeros(n_entries(rows, columns));
        table.rows_ = rows, table.columns_ = columns;
        return table;
    }

    Index rows() const { return rows_; }
    Index columns() const { return columns_; }
    Grid<T> grid() { return {values_.data(), rows_, columns_}; }
    Grid<const T> grid() const { return {values_.data(), rows_, columns_}; }
    operator Grid<T>() { return grid(); }
    operator Grid<const T>() const { return grid(); }
    Span<T> operator[](Index row) { return grid()[row]; }
    Span<const T> operator[](Index row) const { return grid()[row]; }
    T& operator()(Index row, Index column) { return grid()(row, column); }
    const T& operator()(Index row, Index column) const { return grid()(row, column); }
    T* release() { return values_.release(); }

  private:
    Array<T> values_;
    Index rows_ = 0, columns_ = 0;
};

}  // namespace directrank

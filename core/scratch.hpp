// Scratch space of a kernel that runs once for each query.
#pragma once

#include "span.hpp"

namespace directrank {

// Uninitialised values, on the stack if at most `SHORT`, which saves most queries an allocation.
template <class T, Index SHORT = 256>
class Scratch {
  public:
    explicit Scratch(Index size) : size_(size) {
        if (size > SHORT) long_ = Array<T>(size), data_ = long_.data();
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    T* data() const { return data_; }
    Index size() const { return size_; }
    T& operator[](Index i) const {
        check_index(i, size_);
        return data_[i];
    }
    Span<T> span() const { return {data_, size_}; }
    operator Span<T>() const { return span(); }
    operator Span<const T>() const { return span(); }
    Span<T> slice(Index start, Index end) const { return span().slice(start, end); }

  private:
    T short_[SHORT];
    T* data_ = short_;
    Index size_;
    Array<T> long_;
};

}  // namespace directrank

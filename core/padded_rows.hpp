// Rows of doubles for loops over whole vectors.
#pragma once

#include <cstdint>

#include "span.hpp"

// Before a loop over MAX_WIDTH independent lanes: vectorise it instead of unrolling it into MAX_WIDTH copies.
#if defined(__clang__)
#define DIRECTRANK_LANES _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define DIRECTRANK_LANES _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#else
#define DIRECTRANK_LANES
#endif

namespace directrank {

// Number of doubles in the widest vector.
constexpr Index MAX_WIDTH = 8;

// Rows of equal length, aligned to vectors and padded with 0 to a whole number of them.
class PaddedRows {
  public:
    PaddedRows(Index n_rows, Index size)
        : stride_((size + MAX_WIDTH - 1) / MAX_WIDTH * MAX_WIDTH), memory_(n_rows * stride_ + MAX_WIDTH) {
        constexpr std::uintptr_t BOUNDARY = MAX_WIDTH * sizeof(double);
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
        first_ = memory_.data() + (BOUNDARY - address % BOUNDARY) % BOUNDARY / sizeof(double);
        for (Index row = 0; row < n_rows; ++row) std::fill((*this)[row] + size, (*this)[row] + stride_, 0.0);
    }

    double* operator[](Index row) { return first_ + row * stride_; }
    const double* operator[](Index row) const { return first_ + row * stride_; }
    // Sets a whole row to 0.
    void clear(Index row) { std::fill((*this)[row], (*this)[row] + stride_, 0.0); }
    Index stride() const { return stride_; }

  private:
    Index stride_;
    Array<double> memory_;
    double* first_;
};

}  // namespace directrank

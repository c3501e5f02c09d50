// Compressed sparse row matrices: row i has entries [indptr[i], indptr[i + 1]).
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "span.hpp"
#include "thread_pool.hpp"

namespace directrank {

template <class T, class I>
struct Csr {
    Span<const T> data;
    Span<const I> indices, indptr;
    Index columns = 0;

    Index rows() const { return indptr.size() - 1; }
    Index start(Index row) const { return indptr[row]; }
    Index end(Index row) const { return indptr[row + 1]; }
};

// Whether indices are in range, and strictly ascending within each row.
struct IndexCheck {
    bool is_valid, is_canonical;
};

template <class I>
IndexCheck check_indices(Span<const I> indices, Span<const I> indptr, Index n_columns) {
    using Unsigned = std::make_unsigned_t<I>;
    const Index n_rows = indptr.size() - 1;
    // As unsigned numbers, negative indices exceed all valid ones.
    const auto end = std::min(static_cast<std::uint64_t>(n_columns), std::uint64_t{std::numeric_limits<I>::max()} + 1);
    std::atomic<bool> is_valid{true}, is_canonical{true};
    for_each_block(n_rows, 1024, [&](Index first, Index last) {
        Unsigned highest = 0;
        for (Index k = indptr[first]; k < Index{indptr[last]}; ++k)
            highest = std::max(highest, static_cast<Unsigned>(indices[k]));
        if (indptr[first] < indptr[last] && highest >= end)
            is_valid.store(false, std::memory_order_relaxed);
        bool ascends = true;
        for (Index row = first; row < last; ++row)
            for (Index k = Index{indptr[row]} + 1; k < Index{indptr[row + 1]}; ++k) ascends &= indices[k - 1] < indices[k];
        if (!ascends) is_canonical.store(false, std::memory_order_relaxed);
    });
    return {is_valid, is_canonical};
}

}  // namespace directrank

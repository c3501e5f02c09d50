// The parallel loop over queries that all kernels use.
#pragma once

#include "span.hpp"
#include "thread_pool.hpp"

namespace directrank {

// Work per part, in documents, and the fixed cost of a query.
constexpr Index WORK_PER_PART = 4096, WORK_PER_QUERY = 16;

// Calls `work(first, last)` for ranges of queries of about equal work, independent of the number of threads.
//
// For kernels that reuse scratch space across queries.
template <class Work>
void for_each_query_range(Span<const Index> offsets, const Work& work) {
    const Index n = offsets.size() - 1;
    const auto work_before = [&](Index q) { return offsets[q] + WORK_PER_QUERY * q; };
    const auto first_query = [&](Index amount) {
        Index low = 0, high = n;
        while (low < high) {
            const Index middle = (low + high) / 2;
            if (work_before(middle) < amount)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    };
    const Index n_parts = (work_before(n) + WORK_PER_PART - 1) / WORK_PER_PART;
    parallel(n_parts, [&](Index part) {
        work(first_query(part * WORK_PER_PART), first_query((part + 1) * WORK_PER_PART));
    });
}

// Calls `work(q, start, end)` for each query, with documents [start, end).
template <class Work>
void for_each_query(Span<const Index> offsets, const Work& work) {
    for_each_query_range(offsets, [&](Index first, Index last) {
        for (Index q = first; q < last; ++q) work(q, offsets[q], offsets[q + 1]);
    });
}

}  // namespace directrank

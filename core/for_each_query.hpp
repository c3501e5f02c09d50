// One loop over queries for all kernels.
#pragma once

#include "span.hpp"
#include "thread_pool.hpp"

namespace directrank {

// Work of one part, in documents; a query counts for a few more than it has.
constexpr Index WORK_OF_A_PART = 4096, WORK_OF_A_QUERY = 16;

// Calls `work(first, last)` for runs of queries of about equal length, whatever the number of threads is.
//
// For kernels that keep scratch space from one query to the next.
template <class Work>
void for_each_run_of_queries(Span<const Index> offsets, const Work& work) {
    const Index n = offsets.size() - 1;
    const auto work_before = [&](Index q) { return offsets[q] + WORK_OF_A_QUERY * q; };
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
    const Index n_parts = (work_before(n) + WORK_OF_A_PART - 1) / WORK_OF_A_PART;
    parallel(n_parts, [&](Index part) {
        work(first_query(part * WORK_OF_A_PART), first_query((part + 1) * WORK_OF_A_PART));
    });
}

// Calls `work(q, start, end)` for each query, whose documents are those from `start` to before `end`.
template <class Work>
void for_each_query(Span<const Index> offsets, const Work& work) {
    for_each_run_of_queries(offsets, [&](Index first, Index last) {
        for (Index q = first; q < last; ++q) work(q, offsets[q], offsets[q + 1]);
    });
}

}  // namespace directrank

// The threads of the core: a pool that sleeps while it waits.
#pragma once

#include <cstdint>
#include <type_traits>

#include "span.hpp"

namespace directrank {

// Number of threads that kernels called from this thread may use: its own limit, or the number for all threads.
int num_threads();
void set_num_threads(int n);
// Sets the limit of this thread, 0 for none; gives the one before.
int set_thread_limit(int n);

namespace thread_pool {
using Part = void (*)(const void* context, Index part);
void run(Index n_parts, Part part, const void* context);
}  // namespace thread_pool

// Calls `work(part)` for each part, on several threads if there are; the first exception is thrown again here.
//
// What the parts are must not depend on the number of threads, so that neither do results. Within a part, further calls run
// on the thread that makes them. Several threads may call at once, and a process may be forked: the child gets threads of
// its own.
template <class Work>
void parallel(Index n_parts, const Work& work) {
    thread_pool::run(
        n_parts, [](const void* context, Index part) { (*static_cast<const Work*>(context))(part); }, &work);
}

// Calls `work(start, end)` for blocks of up to `size` of the numbers below n.
template <class Work>
void for_each_block(Index n, Index size, const Work& work) {
    parallel((n + size - 1) / size, [&](Index block) { work(block * size, std::min(n, (block + 1) * size)); });
}

// Calls `work(part, start, end)` for n numbers divided evenly into parts.
template <class Work>
void for_each_part(Index n, Index n_parts, const Work& work) {
    parallel(n_parts, [&](Index part) { work(part, part * n / n_parts, (part + 1) * n / n_parts); });
}

}  // namespace directrank

// Thread pool of the core; idle threads sleep.
#pragma once

#include <cstdint>
#include <type_traits>

#include "span.hpp"

namespace directrank {

// Number of threads for kernels called from this thread: its own limit if set, otherwise the global number.
int num_threads();
void set_num_threads(int n);
// Sets the limit of this thread (0: no limit) and returns the previous one.
int set_thread_limit(int n);

namespace thread_pool {
using Part = void (*)(const void* context, Index part);
void run(Index n_parts, Part part, const void* context);
}  // namespace thread_pool

// Calls `work(part)` for each part, on several threads if available; rethrows the first exception.
//
// Parts must not depend on the number of threads, so that results do not either. Nested calls run on the calling thread.
// Several threads may call at once, and the process may be forked: the child starts its own threads.
template <class Work>
void parallel(Index n_parts, const Work& work) {
    thread_pool::run(
        n_parts, [](const void* context, Index part) { (*static_cast<const Work*>(context))(part); }, &work);
}

// Calls `work(start, end)` for blocks of at most `size` indices below n.
template <class Work>
void for_each_block(Index n, Index size, const Work& work) {
    parallel((n + size - 1) / size, [&](Index block) { work(block * size, std::min(n, (block + 1) * size)); });
}

// Calls `work(part, start, end)` for n indices divided evenly into parts.
template <class Work>
void for_each_part(Index n, Index n_parts, const Work& work) {
    parallel(n_parts, [&](Index part) { work(part, part * n / n_parts, (part + 1) * n / n_parts); });
}

}  // namespace directrank

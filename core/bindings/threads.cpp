#include "thread_pool.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "bindings/kernels.hpp"

using namespace directrank;

namespace {

// Number of the calling thread, unique in the process.
Index thread_number() {
    static std::atomic<Index> next{0};
    thread_local const Index number = next++;
    return number;
}

// For tests of the pool: each part sleeps, half of the time in a nested loop; returns the thread of each part. Parts from
// `failing` on throw.
Array<Index> sleep_in_parts(Index n_parts, double seconds, Index failing) {
    if (n_parts < 0) throw std::invalid_argument("a negative number of parts");
    Array<Index> numbers(n_parts);
    parallel(n_parts, [&](Index part) {
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds / 2));
        parallel(2, [&](Index) {
            numbers[part] = thread_number();
            std::this_thread::sleep_for(std::chrono::duration<double>(seconds / 4));
        });
        if (numbers[part] != thread_number()) throw std::logic_error("a nested loop ran on another thread");
        if (part >= failing) throw std::invalid_argument("part " + std::to_string(part) + " failed");
    });
    return numbers;
}

}  // namespace

DIRECTRANK_KERNELS(threads) {
    m.def("get_num_threads", &num_threads);
    m.def("set_num_threads", &set_num_threads);
    m.def("set_thread_limit", &set_thread_limit);
    m.def("sleep_in_parts", &sleep_in_parts, released);
}

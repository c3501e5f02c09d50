#include "thread_pool.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "bindings/kernels.hpp"

using namespace directrank;

namespace {

// A number of this thread that no other has.
Index own_number() {
    static std::atomic<Index> next{0};
    thread_local const Index number = next++;
    return number;
}

// For tests of the pool: the number of the thread that each part sleeps on, and half as long in parts of its own. Parts from
// `failing` on throw.
Array<Index> sleep_in_parts(Index n_parts, double seconds, Index failing) {
    if (n_parts < 0) throw std::invalid_argument("a negative number of parts");
    Array<Index> numbers(n_parts);
    parallel(n_parts, [&](Index part) {
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds / 2));
        parallel(2, [&](Index) {
            numbers[part] = own_number();
            std::this_thread::sleep_for(std::chrono::duration<double>(seconds / 4));
        });
        if (numbers[part] != own_number()) throw std::logic_error("a part within a part on another thread");
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

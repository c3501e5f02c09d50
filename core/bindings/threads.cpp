#include "thread_pool.hpp"
#include "bindings/kernels.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(threads) {
    m.def("get_num_threads", &num_threads);
    m.def("set_num_threads", &set_num_threads);
    m.def("set_thread_limit", &set_thread_limit);
}

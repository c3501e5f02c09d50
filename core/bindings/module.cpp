#include "bindings/kernels.hpp"

NB_MODULE(_compiled, m) {
    nanobind::set_leak_warnings(false);  // models that are still alive at exit are not leaks
    m.doc() = "The kernels of directrank, a module for each subject.";
    for (const auto& kernels : directrank::Kernels::all()) {
        auto submodule = m.def_submodule(kernels.name);
        kernels.bind(submodule);
    }
}

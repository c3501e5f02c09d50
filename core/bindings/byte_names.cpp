#include "data/bytes/byte_names.hpp"

#include "bindings/kernels.hpp"
#include "bindings/places.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(byte_names) {
    m.def(
        "number",
        [](const std::vector<PlacesInPython>& columns, std::uint64_t key) {
            auto numbered = byte_names::number(places(columns), key % byte_names::PRIME);
            return std::pair(std::move(numbered.numbers), to_python(std::move(numbered.distinct)));
        },
        released);
}

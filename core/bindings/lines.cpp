#include "data/parsing/lines.hpp"

#include "bindings/kernels.hpp"
#include "bindings/byte_strings.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(lines) {
    m.def("pieces", &lines::pieces, released);
    m.def(
        "differ_from_previous",
        [](Text text, Span<const Index> starts, Span<const Index> lengths) {
            return lines::differ_from_previous(as_byte_strings(text, starts, lengths));
        },
        released);
    m.def(
        "cut",
        [](Text text, Span<const Index> starts, Span<const Index> lengths) {
            return lines::cut(as_byte_strings(text, starts, lengths));
        },
        released);
}

#include "data/parsing/text_table.hpp"

#include "bindings/kernels.hpp"
#include "bindings/byte_strings.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(text_table) {
    m.def(
        "split",
        [](Text text, Span<const bool> keep, Index piece_size) {
            auto columns = text_table::split(text, keep, piece_size);
            return std::tuple(std::move(columns.starts), std::move(columns.lengths), std::move(columns.counts),
                              columns.n_rows, columns.is_ascii);
        },
        released);
    m.def(
        "numbers",
        [](Text text, Span<const Index> starts, Span<const Index> lengths) {
            auto read = text_table::numbers(as_byte_strings(text, starts, lengths));
            return std::pair(std::move(read.values), read.wrong);
        },
        released);
}

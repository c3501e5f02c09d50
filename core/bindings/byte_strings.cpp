#include "data/parsing/byte_strings.hpp"

#include "bindings/byte_strings.hpp"
#include "bindings/kernels.hpp"

using namespace directrank;

// Strings looked up per block.
constexpr Index BLOCK = 1024;

DIRECTRANK_KERNELS(byte_strings) {
    m.def(
        "factorize",
        [](const std::vector<ByteStringsArgument>& columns, std::uint64_t key) {
            auto found = byte_strings::factorize(as_byte_strings(columns), key % byte_strings::PRIME);
            return std::pair(std::move(found.codes), to_python(std::move(found.distinct)));
        },
        released);
    m.def(
        "find_sorted",
        [](const ByteStringsArgument& sorted_strings, const ByteStringsArgument& wanted_strings) {
            const auto sorted = as_byte_strings(sorted_strings), wanted = as_byte_strings(wanted_strings);
            Array<Index> positions(wanted.size());
            for_each_block(positions.size(), BLOCK, [&](Index start, Index end) {
                for (Index i = start; i < end; ++i) positions[i] = byte_strings::find_sorted(sorted, wanted[i]);
            });
            return positions;
        },
        released);
}

#include "retrieval/sorted_names.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

// Names that are searched for at once.
constexpr Index BLOCK = 1024;

DIRECTRANK_KERNELS(sorted_names) {
    m.def(
        "find_all",
        [](Span<const std::uint8_t> blob, Span<const Index> ends, Span<const std::uint8_t> wanted_blob,
           Span<const Index> wanted_ends) {
            const sorted_names::Names names{blob, ends}, wanted{wanted_blob, wanted_ends};
            Array<Index> places(wanted_ends.size());
            for_each_block(places.size(), BLOCK, [&](Index start, Index end) {
                for (Index k = start; k < end; ++k) places[k] = sorted_names::find(names, wanted[k]);
            });
            return places;
        },
        released);
}

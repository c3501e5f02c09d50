#include "retrieval/index.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

template <class Count>
static void define(nb::module_& m) {
    m.def(
        "sum_counts",
        [](Span<const Count> counts, Span<const Index> starts) {
            check_offsets(starts, counts.size());
            return index::sum_counts(counts, starts);
        },
        released);
    m.def(
        "fits",
        [](Span<const Index> starts, Span<const std::int32_t> documents, Span<const Count> counts,
           Span<const Index> lengths) {
            check_offsets(starts, documents.size());
            check_length(documents.size(), {counts.size()});
            return index::fits(starts, documents, counts, lengths);
        },
        released);
}

DIRECTRANK_KERNELS(index) {
    m.def(
        "count",
        [](Span<const Index> tokens, Span<const Index> offsets) {
            check_queries(offsets, {tokens.size()});
            auto counted = index::count(tokens, offsets);
            return std::tuple(std::move(counted.terms), std::move(counted.counts), std::move(counted.ends));
        },
        released);
    m.def(
        "invert",
        [](Span<const std::int32_t> tokens, Span<const std::int32_t> documents, Index n_terms) {
            check_length(tokens.size(), {documents.size()});
            if (n_terms < 0 || n_terms > std::numeric_limits<std::int32_t>::max())
                throw std::invalid_argument("the number of terms must be from 0 to 2^31 - 1");
            check_range(tokens, 0, n_terms);
            check_range(documents, 0, std::numeric_limits<std::int32_t>::max());
            auto inverted = index::invert(tokens, documents, n_terms);
            return std::tuple(std::move(inverted.starts), std::move(inverted.documents), std::move(inverted.counts));
        },
        released);
    m.def("ascend", &index::ascend, released);
    define<std::uint8_t>(m);
    define<std::uint16_t>(m);
    define<std::uint32_t>(m);
    define<std::uint64_t>(m);
}

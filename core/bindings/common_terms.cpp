#include "retrieval/common_terms.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(common_terms) {
    m.def(
        "tables",
        [](Span<const Index> terms, Span<const Index> starts, Span<const std::int32_t> documents, Index n_documents) {
            if (n_documents < 0 || n_documents > std::numeric_limits<std::int32_t>::max())
                throw std::invalid_argument("the number of documents must be from 0 to 2^31 - 1");
            check_offsets(starts, documents.size());
            check_range(terms, 0, starts.size() - 1);
            const Index n_words = common_terms::n_words(n_documents);
            auto bits = Table<std::uint64_t>::zeros(terms.size(), n_words);
            Table<std::int32_t> before(terms.size(), n_words);
            parallel(terms.size(), [&](Index row) {
                const auto posted = documents.slice(starts[terms[row]], starts[terms[row] + 1]);
                check_range(posted, 0, n_documents);
                common_terms::fill(posted, bits[row], before[row]);
            });
            return std::pair(std::move(bits), std::move(before));
        },
        released);
    m.def(
        "places",
        [](Span<const std::int32_t> documents, Span<const std::uint64_t> bits, Span<const std::int32_t> before) {
            check_length(bits.size(), {before.size()});
            check_range(documents, 0, 64 * bits.size());
            Array<Index> places(documents.size());
            for (Index k = 0; k < places.size(); ++k)
                places[k] = common_terms::place_of(documents[k], bits.data(), before.data());
            return places;
        },
        released);
}

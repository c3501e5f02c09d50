#include "data/formats/trec/joined_pairs.hpp"

#include "bindings/kernels.hpp"
#include "bindings/byte_strings.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(joined_pairs) {
    m.def(
        "join",
        [](Span<const std::int32_t> query, const std::vector<ByteStringsArgument>& documents, Span<const double> values,
           Index n_queries, bool keep_first, std::uint64_t key) {
            const auto sources = as_byte_strings(documents);
            Index n_rows = 0;
            for (const lines::ByteStrings& source : sources) n_rows += source.size();
            check_length(n_rows, {query.size(), values.size()});
            check_range(query, 0, std::numeric_limits<std::int32_t>::max());
            if (sources.empty()) throw std::invalid_argument("pairs without a source");
            auto joined = joined_pairs::join(query, sources, values, n_queries, keep_first, key % byte_strings::PRIME);
            return std::tuple(std::move(joined.offsets), std::move(joined.values), to_python(std::move(joined.documents)),
                              std::move(joined.repeated));
        },
        released);
}

#include "data/formats/trec/ranking_order.hpp"

#include "bindings/kernels.hpp"
#include "bindings/byte_strings.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(ranking_order) {
    m.def(
        "order",
        [](Span<const double> scores, const ByteStringsArgument& names, Span<const std::int32_t> query, Index n_queries) {
            const auto documents = as_byte_strings(names);
            check_length(scores.size(), {documents.size(), query.size()});
            check_range(query, 0, n_queries);
            return ranking_order::order(scores, documents, query, n_queries);
        },
        released);
}

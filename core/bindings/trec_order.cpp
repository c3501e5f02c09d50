#include "data/formats/trec_order.hpp"

#include "bindings/kernels.hpp"
#include "bindings/places.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(trec_order) {
    m.def(
        "order",
        [](Span<const double> scores, const PlacesInPython& names, Span<const std::int32_t> query, Index n_queries) {
            const auto documents = places(names);
            check_length(scores.size(), {documents.size(), query.size()});
            check_range(query, 0, n_queries);
            return trec_order::order(scores, documents, query, n_queries);
        },
        released);
}

#include "measures/ranking/sorting.hpp"

#include <atomic>

#include "bindings/kernels.hpp"

using namespace directrank;

namespace {

template <class Value>
std::pair<Array<double>, Array<Value>> rank(Span<const double> scores, Span<const Value> values, Span<const Index> offsets) {
    check_queries(offsets, {scores.size(), values.size()});
    Array<double> ranked_scores(scores.size());
    Array<Value> ranked_values(values.size());
    for_each_query(offsets, [&](Index, Index start, Index end) {
        sorting::sort_descending<Value>(scores.slice(start, end), values.slice(start, end), ranked_scores.slice(start, end),
                                        ranked_values.slice(start, end));
    });
    return {std::move(ranked_scores), std::move(ranked_values)};
}

}  // namespace

DIRECTRANK_KERNELS(sorting) {
    m.def(
        "is_ranked",
        [](Span<const double> scores, Span<const Index> offsets) {
            check_queries(offsets, {scores.size()});
            std::atomic<bool> ranked{true};
            for_each_query(offsets, [&](Index, Index start, Index end) {
                if (!sorting::is_ranked(scores.slice(start, end))) ranked.store(false, std::memory_order_relaxed);
            });
            return ranked.load();
        },
        released);
    m.def("rank", &rank<double>, released);
    m.def("rank", &rank<bool>, released);
    m.def("rank", &rank<Index>, released);
    m.def("rank", &rank<std::int32_t>, released);
    m.def(
        "order",
        [](Span<const double> scores, Span<const Index> offsets) {
            check_queries(offsets, {scores.size()});
            Array<Index> order(scores.size());
            for_each_query(offsets, [&](Index, Index start, Index end) {
                sorting::descending_order(scores.slice(start, end), order.slice(start, end));
            });
            return order;
        },
        released);
}

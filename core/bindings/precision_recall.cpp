#include "measures/precision_recall.hpp"

#include "bindings/queries.hpp"

using namespace directrank;

namespace {

template <class Value>
Array<double> each_query(Span<const double> scores, Span<const bool> relevant, Span<const Index> offsets,
                         Span<const Index> depths, const Value& value) {
    check_queries(offsets, {scores.size(), relevant.size()});
    check_length(offsets.size() - 1, {depths.size()});
    return query_values(offsets, [&](Index q, Index start, Index end) {
        return value(scores.slice(start, end), relevant.slice(start, end), depths[q]);
    });
}

}  // namespace

DIRECTRANK_KERNELS(precision_recall) {
    m.def(
        "relevant_in_first",
        [](Span<const double> scores, Span<const bool> relevant, Span<const Index> offsets, Span<const Index> depths) {
            return each_query(scores, relevant, offsets, depths, precision_recall::count_in_first);
        },
        released);
    m.def(
        "any_in_first",
        [](Span<const double> scores, Span<const bool> relevant, Span<const Index> offsets, Span<const Index> depths) {
            return each_query(scores, relevant, offsets, depths, precision_recall::any_in_first);
        },
        released);
}

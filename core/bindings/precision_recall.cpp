#include "measures/precision_recall.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

namespace {

template <class Value>
Array<double> each_query(Span<const double> scores, Span<const bool> relevant, Span<const Index> offsets,
                         Span<const Index> depths, const Value& value) {
    check_queries(offsets, {scores.size(), relevant.size()});
    Array<double> values(offsets.size() - 1);
    check_length(values.size(), {depths.size()});
    for_each_query(offsets, [&](Index q, Index start, Index end) {
        values[q] = value(scores.slice(start, end), relevant.slice(start, end), depths[q]);
    });
    return values;
}

}  // namespace

DIRECTRANK_KERNELS(precision_recall) {
    m.def(
        "relevant_in_first",
        [](Span<const double> scores, Span<const bool> relevant, Span<const Index> offsets, Span<const Index> depths) {
            return each_query(scores, relevant, offsets, depths, precision_recall::relevant_in_first);
        },
        released);
    m.def(
        "any_in_first",
        [](Span<const double> scores, Span<const bool> relevant, Span<const Index> offsets, Span<const Index> depths) {
            return each_query(scores, relevant, offsets, depths, precision_recall::any_in_first);
        },
        released);
}

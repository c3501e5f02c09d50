#include "measures/smoothing/smoothed_values.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

namespace {

using Smoothed = std::pair<Array<double>, Array<double>>;

// Checks the number of ranks of each query, and that each table has a value for each rank.
void check_depths(Span<const Index> depths, Span<const Index> offsets, std::initializer_list<Index> tables) {
    check_length(offsets.size() - 1, {depths.size()});
    for (Index q = 0; q < depths.size(); ++q) {
        bool ok = depths[q] >= 0 && depths[q] <= offsets[q + 1] - offsets[q];
        for (const Index size : tables) ok &= depths[q] <= size;
        if (!ok) throw std::invalid_argument("a query counts " + std::to_string(depths[q]) + " ranks, more than it has");
    }
}

// `value(q, expected, slopes)` returns the value of one query and writes its derivatives.
template <class Value>
Smoothed each_query(Span<const double> expected, Span<const Index> offsets, Span<const Index> depths, const Value& value) {
    Smoothed found{offsets.size() - 1, Array<double>::zeros(expected.size())};
    for_each_query(offsets, [&](Index q, Index start, Index) {
        const Index end = start + depths[q];
        found.first[q] = value(q, expected.slice(start, end), found.second.slice(start, end));
    });
    return found;
}

}  // namespace

DIRECTRANK_KERNELS(smoothed_values) {
    m.def(
        "discounted",
        [](Span<const double> expected, Span<const Index> offsets, Span<const Index> depths, Span<const double> discounts) {
            check_queries(offsets, {expected.size()});
            check_depths(depths, offsets, {discounts.size()});
            return each_query(expected, offsets, depths, [&](Index, Span<const double> gains, Span<double> slopes) {
                return smoothed_values::discounted(gains, discounts, slopes);
            });
        },
        released);
    m.def(
        "precisions",
        [](Span<const double> expected, Span<const Index> offsets, Span<const Index> depths, Span<const double> alone,
           Span<const double> each_above, Span<const Index> n_relevant) {
            check_queries(offsets, {expected.size()});
            check_depths(depths, offsets, {alone.size(), each_above.size()});
            check_length(depths.size(), {n_relevant.size()});
            return each_query(expected, offsets, depths, [&](Index q, Span<const double> gains, Span<double> slopes) {
                return smoothed_values::precisions(gains, alone, each_above, n_relevant[q], slopes);
            });
        },
        released);
    m.def(
        "cascade",
        [](Span<const double> expected, Span<const Index> offsets, Span<const Index> depths, Span<const double> worth) {
            check_queries(offsets, {expected.size()});
            check_depths(depths, offsets, {worth.size()});
            return each_query(expected, offsets, depths, [&](Index, Span<const double> gains, Span<double> slopes) {
                return smoothed_values::cascade(gains, worth, slopes);
            });
        },
        released);
}

#include "measures/reciprocal_rank.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(reciprocal_rank) {
    m.def(
        "evaluate",
        [](Span<const double> scores, Span<const bool> relevant, Span<const Index> offsets, Index k) {
            check_queries(offsets, {scores.size(), relevant.size()});
            Array<double> values(offsets.size() - 1);
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                values[q] = reciprocal_rank::value(scores.slice(start, end), relevant.slice(start, end), k);
            });
            return values;
        },
        released);
    m.def(
        "expected",
        [](Span<const double> scores, Span<const double> stop, Span<const Index> offsets, Index k) {
            check_queries(offsets, {scores.size(), stop.size()});
            Array<double> values(offsets.size() - 1);
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                values[q] = reciprocal_rank::expected(scores.slice(start, end), stop.slice(start, end), k);
            });
            return values;
        },
        released);
    m.def(
        "expected_lambdas",
        [](Span<const double> scores, Span<const double> grades, Span<const double> stop, Span<const Index> offsets,
           Index k) {
            check_queries(offsets, {scores.size(), grades.size(), stop.size()});
            Array<double> gradient(scores.size()), hessian(scores.size());
            for_each_query(offsets, [&](Index, Index start, Index end) {
                reciprocal_rank::expected_lambdas(scores.slice(start, end), grades.slice(start, end), stop.slice(start, end),
                                                  k, gradient.slice(start, end), hessian.slice(start, end));
            });
            return std::pair(std::move(gradient), std::move(hessian));
        },
        released);
}

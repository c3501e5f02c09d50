#include "measures/reciprocal_rank.hpp"

#include "bindings/queries.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(reciprocal_rank) {
    m.def(
        "evaluate",
        [](Span<const double> scores, Span<const bool> relevant, Span<const Index> offsets, Index k) {
            check_queries(offsets, {scores.size(), relevant.size()});
            return query_values(offsets, [&](Index, Index start, Index end) {
                return reciprocal_rank::value(scores.slice(start, end), relevant.slice(start, end), k);
            });
        },
        released);
    m.def(
        "expected",
        [](Span<const double> scores, Span<const double> stop, Span<const Index> offsets, Index k) {
            check_queries(offsets, {scores.size(), stop.size()});
            return query_values(offsets, [&](Index, Index start, Index end) {
                return reciprocal_rank::expected(scores.slice(start, end), stop.slice(start, end), k);
            });
        },
        released);
    m.def(
        "expected_lambdas",
        [](Span<const double> scores, Span<const double> grades, Span<const double> stop, Span<const Index> offsets,
           Index k, bool by_distance) {
            check_queries(offsets, {scores.size(), grades.size(), stop.size()});
            Array<double> gradient(scores.size()), hessian(scores.size());
            for_each_query(offsets, [&](Index, Index start, Index end) {
                reciprocal_rank::expected_lambdas(scores.slice(start, end), grades.slice(start, end), stop.slice(start, end),
                                                  k, by_distance, gradient.slice(start, end), hessian.slice(start, end));
            });
            return std::pair(std::move(gradient), std::move(hessian));
        },
        released);
}

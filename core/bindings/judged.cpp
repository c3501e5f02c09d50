#include "measures/judged.hpp"

#include "bindings/queries.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(judged) {
    m.def(
        "bpref",
        [](Span<const double> scores, Span<const double> grades, Span<const Index> offsets, double threshold,
           Span<const Index> n_relevant, Span<const Index> n_others) {
            check_queries(offsets, {scores.size(), grades.size()});
            check_length(offsets.size() - 1, {n_relevant.size(), n_others.size()});
            check_counts(n_relevant, TOO_MANY_DOCUMENTS), check_counts(n_others, TOO_MANY_DOCUMENTS);
            return query_values(offsets, [&](Index q, Index start, Index end) {
                return judged::bpref(scores.slice(start, end), grades.slice(start, end), threshold, n_relevant[q],
                                     n_others[q]);
            });
        },
        released);
    m.def(
        "inferred_average_precision",
        [](Span<const double> scores, Span<const double> grades, Span<const Index> offsets, double threshold,
           Span<const Index> n_relevant, double epsilon, Span<const double> log_factorials) {
            check_queries(offsets, {scores.size(), grades.size()});
            check_length(offsets.size() - 1, {n_relevant.size()});
            check_counts(n_relevant, TOO_MANY_DOCUMENTS);
            if (threshold < 0) throw std::invalid_argument("relevant documents must be among those that were judged");
            const judged::Estimate estimate{epsilon, log_factorials};
            return query_values(offsets, [&](Index q, Index start, Index end) {
                check_at_least(end - start, log_factorials.size());
                return judged::inferred_average_precision(scores.slice(start, end), grades.slice(start, end), threshold,
                                                          n_relevant[q], estimate);
            });
        },
        released);
    m.def(
        "fraction",
        [](Span<const double> scores, Span<const bool> is_judged, Span<const Index> offsets, Index depth) {
            check_queries(offsets, {scores.size(), is_judged.size()});
            return query_values(offsets, [&](Index, Index start, Index end) {
                return judged::fraction(scores.slice(start, end), is_judged.slice(start, end), depth);
            });
        },
        released);
}

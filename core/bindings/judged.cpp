#include "measures/judged.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(judged) {
    m.def(
        "bpref",
        [](Span<const double> scores, Span<const double> grades, Span<const Index> offsets, double threshold,
           Span<const Index> n_relevant, Span<const Index> n_others) {
            check_queries(offsets, {scores.size(), grades.size()});
            Array<double> values(offsets.size() - 1);
            check_length(values.size(), {n_relevant.size(), n_others.size()});
            check_counts(n_relevant, TOO_MANY_DOCUMENTS), check_counts(n_others, TOO_MANY_DOCUMENTS);
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                values[q] =
                    judged::bpref(scores.slice(start, end), grades.slice(start, end), threshold, n_relevant[q], n_others[q]);
            });
            return values;
        },
        released);
    m.def(
        "inferred_average_precision",
        [](Span<const double> scores, Span<const double> grades, Span<const Index> offsets, double threshold,
           Span<const Index> n_relevant, double epsilon, Span<const double> log_factorials) {
            check_queries(offsets, {scores.size(), grades.size()});
            Array<double> values(offsets.size() - 1);
            check_length(values.size(), {n_relevant.size()});
            check_counts(n_relevant, TOO_MANY_DOCUMENTS);
            if (threshold < 0) throw std::invalid_argument("relevant documents must be among those that were judged");
            const judged::Estimate estimate{epsilon, log_factorials};
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                check_at_least(end - start, log_factorials.size());
                values[q] = judged::inferred_average_precision(scores.slice(start, end), grades.slice(start, end), threshold,
                                                               n_relevant[q], estimate);
            });
            return values;
        },
        released);
    m.def(
        "fraction",
        [](Span<const double> scores, Span<const bool> is_judged, Span<const Index> offsets, Index depth) {
            check_queries(offsets, {scores.size(), is_judged.size()});
            Array<double> values(offsets.size() - 1);
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                values[q] = judged::fraction(scores.slice(start, end), is_judged.slice(start, end), depth);
            });
            return values;
        },
        released);
}

// bpref, inferred average precision and the fraction of judged documents of one query; the definitions are in
// measures/judged.py.
//
// The grade of a document that was not judged is NaN, or below 0 if it was pooled.
#pragma once

#include <cmath>
#include <limits>

#include "elementary.hpp"
#include "measures/precision_recall.hpp"
#include "measures/ranking/partial.hpp"
#include "measures/ranking/ties.hpp"
#include "span.hpp"

namespace directrank::judged {

// Number of documents of at least some grade, from `start` to before `end`.
inline Index count_at_least(double grade, Span<const double> grades, Index start, Index end) {
    Index count = 0;
    for (Index i = start; i < end; ++i) count += grades[i] >= grade;
    return count;
}

// bpref. A relevant document that is tied with a others has 0, 1, ..., a of them above it, each with the same probability.
inline double bpref(Span<const double> scores, Span<const double> grades, double threshold, Index n_relevant,
                    Index n_others) {
    if (n_relevant == 0) return 0;
    const partial::Ranked<double> ranked(scores, grades);
    const Index bound = std::max<Index>(std::min(n_relevant, n_others), 1), last = ties::ranked_end(ranked.scores);
    double total = 0;
    Index above = 0;
    for (Index start = 0, end = 0; start < last; start = end) {
        end = ties::group_end(ranked.scores, start);
        const Index relevant = count_at_least(threshold, ranked.values, start, end);
        const Index others = count_at_least(0, ranked.values, start, end) - relevant;
        if (relevant > 0) {
            // Number of these cases with at most R above it.
            const Index uncapped = std::min(std::max<Index>(n_relevant - above, 0), others + 1);
            const double capped = static_cast<double>(uncapped * above) +
                                  static_cast<double>(uncapped * (uncapped - 1)) / 2 +
                                  static_cast<double>((others + 1 - uncapped) * n_relevant);
            total += static_cast<double>(relevant) * (1 - capped / static_cast<double>((others + 1) * bound));
        }
        above += others;
    }
    return total / static_cast<double>(n_relevant);
}

// Numbers of documents above a tie group: judged relevant, judged non-relevant, pooled.
struct Above {
    double relevant = 0, others = 0, pooled = 0;
};

// A tie group of m documents, from rank start + 1.
struct Group {
    Index start, m, relevant, judged, pooled;
};

// Estimate of precision, with `epsilon` added to counts; `log_factorials` has log(n!) for n = 0, 1, 2, ...
struct Estimate {
    double epsilon;
    Span<const double> log_factorials;

    double log_choose(Index n, Index k) const { return log_factorials[n] - log_factorials[k] - log_factorials[n - k]; }

    double precision(const Above& above, Index rank, double relevant, double judged, double pooled) const {
        const double ratio = (above.relevant + relevant + epsilon) / (above.relevant + above.others + judged + 2 * epsilon);
        return (1 + (above.pooled + pooled) * ratio) / static_cast<double>(rank);
    }

    // Mean of the estimate at a relevant document over all orders of its tie group.
    //
    // With x of the others of the group above it, d of these are judged with a hypergeometric probability. Given d, the
    // expected number of relevant ones among them, and of pooled ones among the x - d others, is linear in it, and so is the
    // estimate in these two, which are independent. A d further from its mean than 5 sqrt(min(x, judged)) is left out: by
    // Hoeffding's bound its probability is below 2 exp(-50).
    double mean_precision(const Group& group, const Above& above) const {
        if (group.m == 1) return precision(above, group.start + 1, 0, 0, 0);
        const Index n_others = group.m - 1, n_judged = group.judged - 1;
        const double share_relevant =
            n_judged > 0 ? static_cast<double>(group.relevant - 1) / static_cast<double>(n_judged) : 0;
        const double share_pooled = group.m > group.judged ? static_cast<double>(group.pooled - group.judged) /
                                                                 static_cast<double>(group.m - group.judged)
                                                           : 0;
        double total = 0;
        for (Index x = 0; x < group.m; ++x) {
            const double mean = static_cast<double>(x * n_judged) / static_cast<double>(n_others);
            const double reach = 5 * std::sqrt(static_cast<double>(std::min(x, n_judged))) + 1;
            const Index fewest = std::max({x - (n_others - n_judged), static_cast<Index>(mean - reach), Index{0}});
            const Index most = std::min({x, n_judged, static_cast<Index>(mean + reach)});
            for (Index d = fewest; d <= most; ++d) {
                const double log_ways = log_choose(n_judged, d) + log_choose(n_others - n_judged, x - d);
                const double probability = exponential(log_ways - log_choose(n_others, x));
                const auto judged = static_cast<double>(d);
                total += probability * precision(above, group.start + x + 1, judged * share_relevant, judged,
                                                 judged + static_cast<double>(x - d) * share_pooled);
            }
        }
        return total / static_cast<double>(group.m);
    }
};

inline double inferred_average_precision(Span<const double> scores, Span<const double> grades, double threshold,
                                         Index n_relevant, const Estimate& estimate) {
    if (n_relevant == 0) return 0;
    const partial::Ranked<double> ranked(scores, grades);
    const Index last = ties::ranked_end(ranked.scores);
    double total = 0;
    Above above;
    for (Index start = 0, end = 0; start < last; start = end) {
        end = ties::group_end(ranked.scores, start);
        const auto count = [&](double grade) { return count_at_least(grade, ranked.values, start, end); };
        const Group group{start, end - start, count(threshold), count(0), count(-std::numeric_limits<double>::infinity())};
        if (group.relevant > 0) total += static_cast<double>(group.relevant) * estimate.mean_precision(group, above);
        above.relevant += static_cast<double>(group.relevant);
        above.others += static_cast<double>(group.judged - group.relevant);
        above.pooled += static_cast<double>(group.pooled);
    }
    return total / static_cast<double>(n_relevant);
}

// Fraction of the first `depth` ranks, or of all if there are fewer, that were judged; mean over the orders of ties.
inline double fraction(Span<const double> scores, Span<const bool> judged, Index depth) {
    const auto has_rank = [](double score) { return score > -std::numeric_limits<double>::infinity(); };
    const Index n_ranks = std::min<Index>(std::count_if(scores.begin(), scores.end(), has_rank), depth);
    return precision_recall::count_in_first(scores, judged, depth) / static_cast<double>(std::max<Index>(n_ranks, 1));
}

}  // namespace directrank::judged

#include "papers/accuracy_svms.hpp"

#include "clones.hpp"

namespace directrank::accuracy_svms {
namespace {

// Number of values below a pivot, and number equal to it.
struct Counts {
    Index below = 0, at = 0;

    Index up_to() const { return below + at; }
};

DIRECTRANK_CLONES
Counts count(const double* values, Index n, double pivot) {
    Index below = 0, at = 0;
    for (Index i = 0; i < n; ++i) below += values[i] < pivot, at += values[i] == pivot;
    return {below, at};
}

// Kinks, of relevant documents or of others, that may still be the quantile.
class Candidates {
  public:
    Candidates(const double* kinks, Index n) : values_(n), n_(n) { std::copy(kinks, kinks + n, values_.begin()); }

    Index size() const { return n_; }
    double operator[](Index i) const { return values_[i]; }
    Counts counts(double pivot) const {
        const Counts found = count(values_.data(), n_, pivot);
        return {n_dropped_below_ + found.below, found.at};
    }
    void keep_below(double pivot) {
        keep([&](double value) { return value < pivot; });
    }
    void keep_above(double pivot) {
        n_dropped_below_ = counts(pivot).up_to();
        keep([&](double value) { return value > pivot; });
    }

  private:
    template <class Test>
    void keep(const Test& test) {
        Index n_kept = 0;
        for (Index i = 0; i < n_; ++i) {
            const double value = values_[i];
            values_[n_kept] = value;
            n_kept += test(value);
        }
        n_ = n_kept;
    }

    Array<double> values_;
    Index n_, n_dropped_below_ = 0;
};

double middle(double a, double b, double c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }

// Lowest b at which the non-relevant documents with a kink up to b weigh at least as much as the relevant documents with a
// kink above b, which weigh `ratio` each; by quickselect.
double weighted_quantile(Candidates relevant, Candidates others, double ratio) {
    const Index n_relevant = relevant.size();
    const auto suffice = [&](Index relevant_up_to, Index others_up_to) {
        return static_cast<double>(others_up_to) >= ratio * static_cast<double>(n_relevant - relevant_up_to);
    };
    while (true) {
        const Candidates& more = relevant.size() > others.size() ? relevant : others;
        const double pivot = middle(more[0], more[more.size() / 2], more[more.size() - 1]);
        const Counts relevant_counts = relevant.counts(pivot), other_counts = others.counts(pivot);
        if (suffice(relevant_counts.below, other_counts.below)) {
            relevant.keep_below(pivot);
            others.keep_below(pivot);
        } else if (suffice(relevant_counts.up_to(), other_counts.up_to())) {
            return pivot;
        } else {
            relevant.keep_above(pivot);
            others.keep_above(pivot);
        }
        if (relevant.size() + others.size() == 0) return pivot;  // some score is NaN
    }
}

}  // namespace

Array<double> balanced(Span<const double> scores, Span<const bool> relevant, double ratio) {
    const Index n = scores.size();
    Array<double> kinks(n);
    if (n == 0) return kinks;
    Array<double> grouped(n);  // kinks of relevant documents from the front, of others from the back
    Index n_relevant = 0;
    for (Index i = 0; i < n; ++i) {
        kinks[i] = (relevant[i] ? 1.0 : -1.0) - scores[i];
        grouped[relevant[i] ? n_relevant : n - 1 - i + n_relevant] = kinks[i];
        n_relevant += relevant[i];
    }
    const double *first = grouped.data(), *rest = first + n_relevant;
    const Index n_others = n - n_relevant;
    const double best = weighted_quantile({first, n_relevant}, {rest, n_others}, ratio);
    const Counts relevant_counts = count(first, n_relevant, best), other_counts = count(rest, n_others, best);
    const double slope =
        ratio * static_cast<double>(n_relevant - relevant_counts.below) - static_cast<double>(other_counts.below);
    const double range = ratio * static_cast<double>(relevant_counts.at) + static_cast<double>(other_counts.at);
    const double share = std::clamp(slope / range, 0.0, 1.0);
    for (Index i = 0; i < n; ++i) {  // the kinks are no longer needed
        const double at_best = relevant[i] ? ratio * (1 - share) : -share;
        const double elsewhere = relevant[i] ? (kinks[i] > best ? ratio : 0.0) : (kinks[i] < best ? -1.0 : 0.0);
        kinks[i] = kinks[i] == best ? at_best : elsewhere;
    }
    return kinks;
}

}  // namespace directrank::accuracy_svms

// Coordinate descent in the dual of the linear SVM (Hsieh et al. 2008); see papers/joachims/coordinate_descent.py.
#pragma once

#include <utility>

#include "evaluation/random_words.hpp"
#include "matrix/csr.hpp"

namespace directrank::coordinate_descent {

// CSR rows, the class of each (1 or -1) and its squared norm, and rho, on the scale of the squared norms.
template <class I>
struct Rows {
    Csr<double, I> X;
    Span<const double> y, squares;
    double rho;

    double score(Index i, Span<const double> w) const {
        double total = 0;
        for (Index k = X.start(i); k < X.end(i); ++k) total += X.data[k] * w[X.indices[k]];
        return total;
    }
};

// Multipliers of the rows with their upper bounds, the resulting w, and their balance.
struct State {
    Span<double> alpha;
    Span<const double> upper;
    Span<double> w;
    double& balance;
};

// Range of the gradients of multipliers.
struct Range {
    double low, high;
};

// Shuffles indices; returns the counter of the next random word.
inline std::uint64_t shuffle(Span<Index> order, std::uint64_t seed, std::uint64_t counter) {
    for (Index place = order.size() - 1; place > 0; --place, ++counter) {
        const std::uint64_t other = random_words::random_word(seed, counter) % static_cast<std::uint64_t>(place + 1);
        std::swap(order[place], order[static_cast<Index>(other)]);
    }
    return counter;
}

template <class I>
void move(const Rows<I>& rows, const State& state, Index i, double gradient) {
    const double alpha =
        std::min(std::max(state.alpha[i] - gradient / (rows.squares[i] + rows.rho), 0.0), state.upper[i]);
    const double step = (alpha - state.alpha[i]) * rows.y[i];
    state.alpha[i] = alpha;
    state.balance += step;
    for (Index k = rows.X.start(i); k < rows.X.end(i); ++k) state.w[rows.X.indices[k]] += step * rows.X.data[k];
}

// Optimises one multiplier after another; returns the number of active multipliers, and the range of their gradients.
//
// A multiplier at a bound, with a gradient beyond the range `seen` in the last pass, is shrunk: moved to the end of the
// order.
template <class I>
std::pair<Index, Range> descend(const Rows<I>& rows, const State& state, double bias, Span<Index> order, Index n_active,
                                Range seen) {
    Range range{0, 0};
    for (Index place = 0; place < n_active;) {
        const Index i = order[place];
        const double gradient = rows.y[i] * (rows.score(i, state.w) + bias + rows.rho * state.balance) - 1;
        const bool at_0 = state.alpha[i] == 0, at_upper = state.alpha[i] == state.upper[i];
        if ((at_0 && gradient > seen.high) || (at_upper && gradient < seen.low)) {
            std::swap(order[place], order[--n_active]);
            continue;
        }
        if (!(at_0 && gradient > 0) && !(at_upper && gradient < 0)) {
            range = {std::min(range.low, gradient), std::max(range.high, gradient)};
            move(rows, state, i, gradient);
        }
        ++place;
    }
    return {n_active, range};
}

}  // namespace directrank::coordinate_descent

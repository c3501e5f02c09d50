// The contingency tables among which the most violated labelling is searched for, block by block; the algorithm, with S, T
// and H, is in measures/violations/contingency_tables.py.
#pragma once

#include <cmath>

#include "measures/ranking/sorting.hpp"
#include "measures/ranking/ties.hpp"
#include "scratch.hpp"
#include "span.hpp"

namespace directrank::contingency_tables {

// A block of tables: those with `n_rows` consecutive numbers a of true positives, from `first_a`, and `n_columns` numbers b
// of false positives, from `first_b`.
struct Block {
    Index first_a, first_b, n_rows, n_columns;
    Index size() const { return n_rows * n_columns; }
};

// Tables of a set of R relevant and N other documents, divided into blocks of about sqrt(R) by sqrt(N) that are numbered row
// by row.
struct Cut {
    Index n_relevant, n_others, height, width, down, across;

    Cut(Index n_relevant, Index n_others)
        : n_relevant(n_relevant),
          n_others(n_others),
          height(side(n_relevant)),
          width(side(n_others)),
          down((n_relevant + height) / height),
          across((n_others + width) / width) {}

    // Without relevant documents there are no tables.
    Index n_blocks() const { return n_relevant > 0 ? down * across : 0; }

    Block block(Index number) const {
        const Index first_a = number / across * height, first_b = number % across * width;
        return {first_a, first_b, std::min(height, n_relevant + 1 - first_a), std::min(width, n_others + 1 - first_b)};
    }

  private:
    static Index side(Index count) { return static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(count + 1)))); }
};

// S(a) and T(b): 2/n times the sums of the a highest scores of relevant documents, and of the b highest scores of the
// others.
struct Sums {
    Span<const double> S, T;
};

// The best table so far: its H, its value, and its true and false positives.
struct Best {
    double &objective, &value;
    Index &a, &b;
};

// Writes the documents by descending score; and S, followed by T.
inline void add_up(Span<const double> scores, Span<const bool> relevant, Span<Index> order, Span<double> sums) {
    sorting::descending_order(scores, order);
    double *S = sums.begin(), *T = S + ties::count(relevant) + 1;
    *S = 0, *T = 0;
    for (const Index document : order) {
        double*& last = relevant[document] ? S : T;
        const double sum = *last + 2 * scores[document] / static_cast<double>(scores.size());
        *++last = sum;
    }
}

// Psi(y*) - Psi(y^) as a coefficient of each document, with the a relevant and the b other documents with the
// highest scores labelled.
inline void write_coefficients(Span<const bool> relevant, Span<const Index> order, Index a, Index b,
                               Span<double> coefficients) {
    const double share = 2.0 / static_cast<double>(order.size());
    for (const Index document : order) {
        if (relevant[document])
            coefficients[document] = a-- > 0 ? 0 : share;
        else
            coefficients[document] = b-- > 0 ? -share : 0;
    }
}

// The lowest and the highest value of a block, and the position of the lowest.
struct Extremes {
    double lowest, highest;
    Index at;
};
Extremes extremes(Span<const double> values);

// Lowest value of a block, and its table.
struct Lowest {
    double value;
    Index a, b;
};

// Writes an upper bound of H in each block of a query, and keeps the best H of the tables where a block's value is lowest.
template <class LowestOfBlock>
void bound(const Cut& cut, const Sums& sums, const LowestOfBlock& lowest_of_block, Span<double> bounds, const Best& best) {
    const auto highest_in_runs = [](Span<const double> values, Index length, Span<double> highest) {
        for (Index run = 0; run < highest.size(); ++run) {
            const Index end = std::min(values.size(), (run + 1) * length);
            highest[run] = *std::max_element(values.begin() + run * length, values.begin() + end);
        }
    };
    const Scratch<double> highest_S(cut.down), highest_T(cut.across);
    highest_in_runs(sums.S, cut.height, highest_S);
    highest_in_runs(sums.T, cut.width, highest_T);
    Index block = 0;
    for (Index row = 0; row < cut.down; ++row)
        for (Index column = 0; column < cut.across; ++column, ++block) {
            const Lowest lowest = lowest_of_block(block);
            bounds[block] = (highest_S[row] - lowest.value) + highest_T[column];
            const double objective = (sums.S[lowest.a] - lowest.value) + sums.T[lowest.b];
            if (objective > best.objective) {
                best.objective = objective, best.value = lowest.value;
                best.a = lowest.a, best.b = lowest.b;
            }
        }
}

// Writes the numbers of the blocks whose bound is above the H reached so far, by descending bound; returns how many.
inline Index highest_first(Span<const double> bounds, double reached, Span<Index> numbers) {
    const Scratch<Index> above(bounds.size());
    const Scratch<double> their_bounds(bounds.size());
    Index n = 0;
    for (Index block = 0; block < bounds.size(); ++block)
        if (bounds[block] > reached) above[n] = block, their_bounds[n++] = bounds[block];
    sorting::descending_order(their_bounds.slice(0, n), numbers.slice(0, n));
    for (Index& number : numbers.slice(0, n)) number = above[number];
    return n;
}

// Blocks of queries.
struct BlocksOfQueries {
    Array<Index> query, number;
    Array<double> bound;
};

// The first `counts[q]` of each query's blocks: the first of each query, then the second of each, ...
inline BlocksOfQueries in_turn(Span<const Index> first, Span<const Index> counts, Span<const double> bounds,
                               Span<const Index> numbers) {
    Index n_turns = 0;
    for (const Index count : counts) n_turns = std::max(n_turns, count);
    auto places = Array<Index>::zeros(n_turns + 1);  // of the next block of each turn
    for (const Index count : counts)
        for (Index turn = 0; turn < count; ++turn) ++places[turn + 1];
    for (Index turn = 0; turn < n_turns; ++turn) places[turn + 1] += places[turn];
    BlocksOfQueries list{Array<Index>(places[n_turns]), Array<Index>(places[n_turns]), Array<double>(places[n_turns])};
    for (Index q = 0; q < counts.size(); ++q)
        for (Index turn = 0; turn < counts[q]; ++turn) {
            const Index at = places[turn]++, number = numbers[first[q] + turn];
            list.query[at] = q, list.number[at] = number, list.bound[at] = bounds[first[q] + number];
        }
    return list;
}

// The highest H of a block, and its position.
struct Highest {
    double objective;
    Index at;
};
Highest search(const Block& block, Span<const double> values, const Sums& sums);

}  // namespace directrank::contingency_tables

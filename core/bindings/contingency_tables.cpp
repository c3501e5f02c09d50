#include "measures/violations/contingency_tables.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;
using namespace directrank::contingency_tables;

namespace {

using Indices = Span<const Index>;
using Values = Span<const double>;

// Numbers of relevant and of other documents of each shape of set.
struct Shapes {
    Indices n_relevant, n_others;

    Shapes(Indices n_relevant, Indices n_others) : n_relevant(n_relevant), n_others(n_others) {
        check_length(n_relevant.size(), {n_others.size()});
        check_counts(n_relevant, TOO_MANY_DOCUMENTS), check_counts(n_others, TOO_MANY_DOCUMENTS);
    }
    Cut cut(Index shape) const { return {n_relevant[shape], n_others[shape]}; }
};

// Blocks of tables, each given by its shape and its index within the shape, and the offsets of their concatenated tables.
struct Blocks {
    Shapes shapes;
    Indices shape, number;
    Array<Index> starts;

    Blocks(const Shapes& shapes, Indices shape, Indices number)
        : shapes(shapes), shape(shape), number(number), starts(shape.size() + 1) {
        check_length(shape.size(), {number.size()});
        check_range(shape, 0, shapes.n_relevant.size());
        starts[0] = 0;
        for (Index i = 0; i < size(); ++i) {
            if (number[i] < 0 || number[i] >= cut(i).n_blocks())
                throw std::invalid_argument("there is no block of number " + std::to_string(number[i]));
            starts[i + 1] = starts[i] + block(i).size();
        }
    }
    Index size() const { return shape.size(); }
    Cut cut(Index i) const { return shapes.cut(shape[i]); }
    Block block(Index i) const { return cut(i).block(number[i]); }
};

// S and T of all queries, concatenated.
struct SumsOfQueries {
    Values sums;
    Indices offsets;

    SumsOfQueries(Values sums, Indices offsets) : sums(sums), offsets(offsets) {
        if (offsets.empty()) throw std::invalid_argument("offsets must have one more entry than there are queries");
        check_offsets(offsets, sums.size() - 2 * (offsets.size() - 1));
    }
    Sums of(Index q, const Cut& cut) const {
        check_length(offsets[q + 1] - offsets[q], {cut.n_relevant + cut.n_others});
        const Index start = offsets[q] + 2 * q, split = start + cut.n_relevant + 1;
        return {sums.slice(start, split), sums.slice(split, split + cut.n_others + 1)};
    }
};

// Lowest value of each block of each shape, and its table.
struct LowestOfShapes {
    Values value;
    Indices a, b;
    Array<Index> first;  // block of each shape

    LowestOfShapes(const Shapes& shapes, Values value, Indices a, Indices b)
        : value(value), a(a), b(b), first(shapes.n_relevant.size() + 1) {
        first[0] = 0;
        for (Index shape = 0; shape + 1 < first.size(); ++shape)
            first[shape + 1] = first[shape] + shapes.cut(shape).n_blocks();
        check_length(first.span().back(), {value.size(), a.size(), b.size()});
        for (Index shape = 0; shape + 1 < first.size(); ++shape) {
            check_range(a.slice(first[shape], first[shape + 1]), 0, shapes.n_relevant[shape] + 1);
            check_range(b.slice(first[shape], first[shape + 1]), 0, shapes.n_others[shape] + 1);
        }
    }
    Index n_blocks(Index shape) const { return first[shape + 1] - first[shape]; }
    Lowest of(Index shape, Index block) const {
        const Index at = first[shape] + block;
        return {value[at], a[at], b[at]};
    }
};

struct BestOfQueries {
    Span<double> objective, value;
    Span<Index> a, b;

    BestOfQueries(Index n, Span<double> objective, Span<double> value, Span<Index> a, Span<Index> b)
        : objective(objective), value(value), a(a), b(b) {
        check_length(n, {objective.size(), value.size(), a.size(), b.size()});
    }
    Best of(Index q) const { return {objective[q], value[q], a[q], b[q]}; }
};

}  // namespace

DIRECTRANK_KERNELS(contingency_tables) {
    m.def(
        "add_up",
        [](Values scores, Span<const bool> relevant, Indices offsets) {
            check_queries(offsets, {scores.size(), relevant.size()});
            Array<Index> order(scores.size());
            Array<double> sums(scores.size() + 2 * (offsets.size() - 1));
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                add_up(scores.slice(start, end), relevant.slice(start, end), order.slice(start, end),
                       sums.slice(start + 2 * q, end + 2 * q + 2));
            });
            return std::pair(std::move(order), std::move(sums));
        },
        released);
    m.def(
        "coefficients",
        [](Span<const bool> relevant, Indices offsets, Indices order, Span<const bool> differ, Indices a, Indices b) {
            check_queries(offsets, {relevant.size(), order.size()});
            check_length(offsets.size() - 1, {differ.size(), a.size(), b.size()});
            check_counts(a, TOO_MANY_DOCUMENTS), check_counts(b, TOO_MANY_DOCUMENTS);
            auto coefficients = Array<double>::zeros(relevant.size());
            for_each_query(offsets, [&](Index q, Index start, Index end) {
                check_range(order.slice(start, end), 0, end - start);
                if (differ[q])
                    write_coefficients(relevant.slice(start, end), order.slice(start, end), a[q], b[q],
                                       coefficients.slice(start, end));
            });
            return coefficients;
        },
        released);
    m.def(
        "count_blocks",
        [](Indices n_relevant, Indices n_others) {
            const Shapes shapes(n_relevant, n_others);
            Array<Index> n_blocks(n_relevant.size());
            for (Index shape = 0; shape < n_blocks.size(); ++shape) n_blocks[shape] = shapes.cut(shape).n_blocks();
            return n_blocks;
        },
        released);
    m.def(
        "block_sizes",
        [](Indices n_relevant, Indices n_others, Indices shape, Indices number) {
            const Blocks blocks({n_relevant, n_others}, shape, number);
            Array<Index> sizes(blocks.size());
            for (Index i = 0; i < blocks.size(); ++i) sizes[i] = blocks.starts[i + 1] - blocks.starts[i];
            return sizes;
        },
        released);
    m.def(
        "list_tables",
        [](Indices n_relevant, Indices n_others, Indices shape, Indices number) {
            const Blocks blocks({n_relevant, n_others}, shape, number);
            Table<double> tables(4, blocks.starts.span().back());
            const auto a = tables[0], b = tables[1], c = tables[2], d = tables[3];
            for_each_query(blocks.starts, [&](Index i, Index at, Index) {
                const Cut cut = blocks.cut(i);
                const Block block = blocks.block(i);
                for (Index row = block.first_a; row < block.first_a + block.n_rows; ++row)
                    for (Index column = block.first_b; column < block.first_b + block.n_columns; ++column, ++at) {
                        a[at] = static_cast<double>(row), b[at] = static_cast<double>(column);
                        c[at] = static_cast<double>(cut.n_relevant - row);
                        d[at] = static_cast<double>(cut.n_others - column);
                    }
            });
            return tables;
        },
        released);
    m.def(
        "extremes",
        [](Indices n_relevant, Indices n_others, Indices shape, Indices number, Values values) {
            const Blocks blocks({n_relevant, n_others}, shape, number);
            check_length(blocks.starts.span().back(), {values.size()});
            Array<double> lowest(blocks.size()), highest(blocks.size());
            Array<Index> a(blocks.size()), b(blocks.size());
            for_each_query(blocks.starts, [&](Index i, Index start, Index end) {
                const auto found = extremes(values.slice(start, end));
                const Block block = blocks.block(i);
                lowest[i] = found.lowest, highest[i] = found.highest;
                a[i] = block.first_a + found.at / block.n_columns, b[i] = block.first_b + found.at % block.n_columns;
            });
            return std::tuple(std::move(highest), std::move(lowest), std::move(a), std::move(b));
        },
        released);
    m.def(
        "promising_blocks",
        [](Indices n_relevant, Indices n_others, Indices shape, Span<const bool> differ, Values lowest, Indices lowest_a,
           Indices lowest_b, Values sums, Indices offsets, Span<double> best_objective, Span<double> best_value,
           Span<Index> best_a, Span<Index> best_b) {
            const Shapes shapes(n_relevant, n_others);
            const SumsOfQueries sums_of_queries(sums, offsets);
            const Index n_queries = offsets.size() - 1;
            const BestOfQueries best(n_queries, best_objective, best_value, best_a, best_b);
            check_length(n_queries, {shape.size(), differ.size()});
            check_range(shape, 0, n_relevant.size());
            const LowestOfShapes lowest_of_shapes(shapes, lowest, lowest_a, lowest_b);
            Array<Index> first(n_queries + 1), n_promising(n_queries, 0);
            first[0] = 0;
            for (Index q = 0; q < n_queries; ++q)
                first[q + 1] = first[q] + (differ[q] ? lowest_of_shapes.n_blocks(shape[q]) : 0);
            Array<double> bounds(first[n_queries]);
            Array<Index> numbers(first[n_queries]);
            for_each_query(first, [&](Index q, Index start, Index end) {
                if (start == end) return;
                const Cut cut = shapes.cut(shape[q]);
                const auto lowest_of_block = [&](Index block) { return lowest_of_shapes.of(shape[q], block); };
                bound(cut, sums_of_queries.of(q, cut), lowest_of_block, bounds.slice(start, end), best.of(q));
                n_promising[q] = highest_first(bounds.slice(start, end), best_objective[q], numbers.slice(start, end));
            });
            auto list = in_turn(first, n_promising, bounds, numbers);
            return std::tuple(std::move(list.query), std::move(list.number), std::move(list.bound));
        },
        released);
    m.def(
        "keep_best",
        [](Indices n_relevant, Indices n_others, Indices shape, Indices number, Indices query, Values values, Values sums,
           Indices offsets, Span<double> best_objective, Span<double> best_value, Span<Index> best_a, Span<Index> best_b) {
            const Blocks blocks({n_relevant, n_others}, shape, number);
            const SumsOfQueries sums_of_queries(sums, offsets);
            const BestOfQueries best(offsets.size() - 1, best_objective, best_value, best_a, best_b);
            check_length(blocks.starts.span().back(), {values.size()});
            check_length(blocks.size(), {query.size()});
            check_range(query, 0, offsets.size() - 1);
            Array<Highest> found(blocks.size());
            for_each_query(blocks.starts, [&](Index i, Index start, Index end) {
                found[i] = search(blocks.block(i), values.slice(start, end), sums_of_queries.of(query[i], blocks.cut(i)));
            });
            for (Index i = 0; i < blocks.size(); ++i) {  // sequential: several may belong to one query
                const Best mine = best.of(query[i]);
                if (!(found[i].objective > mine.objective)) continue;
                const Block block = blocks.block(i);
                mine.objective = found[i].objective, mine.value = values[blocks.starts[i] + found[i].at];
                mine.a = block.first_a + found[i].at / block.n_columns;
                mine.b = block.first_b + found[i].at % block.n_columns;
            }
        },
        released);
}

#include "measures/pairs/long_queries.hpp"

#include <cmath>

#include "clones.hpp"
#include "elementary.hpp"
#include "measures/pairs/pair_loop.hpp"
#include "padded_rows.hpp"
#include "thread_pool.hpp"

namespace directrank::long_queries {
namespace {

// Width of a cell, in units of the score.
constexpr double CELL_WIDTH = 1.0 / 32;

// Distance beyond which phi is 0 or 1 in floating point.
constexpr double MAX_DISTANCE = 40;

// Chebyshev's points of a cell, relative to its centre and in units of its width: cos(pi (2 k + 1)/6)/2.
constexpr Index N_NODES = 3;
constexpr double NODES[N_NODES] = {0.43301270189221932, 0.0, -0.43301270189221932};

// Number of cells per block of work.
constexpr Index CELLS_OF_A_BLOCK = 8;

// Kinds of documents.
constexpr Index BETTER = 0, WORSE = 1;

// Documents of the two grades by descending score.
struct Ranking {
    Array<double> s, D;
    Array<Index> kind;
    Ranking(const pairwise::Documents& d, Index n_worse, Span<const Index> order) : s(d.n), D(d.n), kind(d.n) {
        for (Index i = 0; i < d.n; ++i)
            s[i] = d.score[order[i]], D[i] = d.upper[order[i]], kind[i] = order[i] < n_worse ? WORSE : BETTER;
    }
};

// Sums over the documents of one kind in a cell, delta being the distance of each from its centre.
enum Moment { ONE, DELTA, DELTA_2, D, D_DELTA, D_DELTA_2, N_MOMENTS };

// Non-empty cells, from the highest score.
struct Cells {
    Index n;
    Array<Index> starts;  // and the end
    PaddedRows rows;      // centres, moments of better documents, moments of worse documents

    explicit Cells(const Ranking& ranking) : n(0), starts(ranking.s.size() + 1), rows(0, 0) {
        const auto number = [&](Index i) { return std::floor((ranking.s[0] - ranking.s[i]) / CELL_WIDTH); };
        double last = -1;
        for (Index i = 0; i < ranking.s.size(); ++i) {
            if (number(i) != last) starts[n++] = i;
            last = number(i);
        }
        starts[n] = ranking.s.size();
        starts.shrink(n + 1);
        rows = PaddedRows(1 + 2 * N_MOMENTS, n);
        for_each_block(n, CELLS_OF_A_BLOCK, [&](Index first, Index end) {
            for (Index c = first; c < end; ++c) {
                centres()[c] = ranking.s[0] - (number(starts[c]) + 0.5) * CELL_WIDTH;
                sum_moments(ranking, c);
            }
        });
    }

    double* centres() { return rows[0]; }
    double* moments(Index kind, Index moment) { return rows[1 + kind * N_MOMENTS + moment]; }

  private:
    void sum_moments(const Ranking& ranking, Index c) {
        double sums[2][N_MOMENTS] = {};
        for (Index i = starts[c]; i < starts[c + 1]; ++i) {
            const double delta = ranking.s[i] - centres()[c], discount = ranking.D[i];
            double* kind_sums = sums[ranking.kind[i]];
            kind_sums[ONE] += 1, kind_sums[DELTA] += delta, kind_sums[DELTA_2] += delta * delta;
            kind_sums[D] += discount, kind_sums[D_DELTA] += discount * delta,
                kind_sums[D_DELTA_2] += discount * delta * delta;
        }
        for (const Index kind : {BETTER, WORSE})
            for (Index moment = 0; moment < N_MOMENTS; ++moment) moments(kind, moment)[c] = sums[kind][moment];
    }
};

// Contribution of distant documents to the sums of a document with discount D: a part without D and a part to multiply by D.
struct Field {
    double gradient, gradient_by_D, hessian, hessian_by_D;
};

// Writes the contribution of the cells from `first` to before `last`, in whole vectors, to a better and to a worse document
// at score `at` of cell `own`: a Taylor series to the second order. A document above contributes D_j - D_i, a document below
// D_i - D_j.
DIRECTRANK_CLONES
void sum_window(const double* centres, const double* moments, Index stride, Index first, Index last, Index own, double at,
                Field* fields) {
    double lanes[8][MAX_WIDTH] = {};
    const double* better = moments;
    const double* worse = moments + N_MOMENTS * stride;
    for (Index start = first; start < last; start += MAX_WIDTH) {
        DIRECTRANK_LANES
        for (Index lane = 0; lane < MAX_WIDTH; ++lane) {
            const Index c = start + lane;
            const double sign = centres[c] > centres[own] ? 1.0 : centres[c] < centres[own] ? -1.0 : 0.0;
            const double p = 1 / (1 + exponential(at - centres[c])), q = 1 - p, k = p * q;
            const double slope = k * (q - p), half_curve = 0.5 * slope;
            const double half_curve_of_k = 0.5 * k * (1 - 6 * k);
            const auto series = [&](const double* m, Index from, double value, double slope, double half_curve) {
                return sign * (value * m[from * stride + c] + slope * m[(from + 1) * stride + c] +
                               half_curve * m[(from + 2) * stride + c]);
            };
            lanes[0][lane] += series(worse, D, p, k, half_curve);
            lanes[1][lane] -= series(worse, ONE, p, k, half_curve);
            lanes[2][lane] += series(worse, D, k, slope, half_curve_of_k);
            lanes[3][lane] -= series(worse, ONE, k, slope, half_curve_of_k);
            lanes[4][lane] += series(better, D, q, -k, -half_curve);
            lanes[5][lane] -= series(better, ONE, q, -k, -half_curve);
            lanes[6][lane] += series(better, D, k, slope, half_curve_of_k);
            lanes[7][lane] -= series(better, ONE, k, slope, half_curve_of_k);
        }
    }
    using pair_loop::total;
    fields[BETTER] = {total(lanes[0]), total(lanes[1]), total(lanes[2]), total(lanes[3])};
    fields[WORSE] = {total(lanes[4]), total(lanes[5]), total(lanes[6]), total(lanes[7])};
}

// Fields of all other cells at the nodes of each cell, for better documents and then for worse ones.
Table<Field> far_fields(Cells& cells) {
    // Sums of 1 and D over all cells before each.
    PaddedRows before(4, cells.n + 1);
    const auto sum_before = [&](Index kind, Moment moment) { return before[2 * kind + (moment == D)]; };
    for (const Index kind : {BETTER, WORSE})
        for (const Moment moment : {ONE, D}) {
            double* sums = sum_before(kind, moment);
            sums[0] = 0;
            for (Index c = 0; c < cells.n; ++c) sums[c + 1] = sums[c] + cells.moments(kind, moment)[c];
        }
    const double* centres = cells.centres();
    Table<Field> fields(cells.n, 2 * N_NODES);
    for_each_block(cells.n, CELLS_OF_A_BLOCK, [&](Index start, Index end) {
        for (Index c = start; c < end; ++c) {
            const auto is_above = [](double centre, double score) { return centre > score; };
            Index first = std::lower_bound(centres, centres + cells.n, centres[c] + MAX_DISTANCE, is_above) - centres;
            Index last = std::lower_bound(centres, centres + cells.n, centres[c] - MAX_DISTANCE, is_above) - centres;
            first -= first % MAX_WIDTH;
            last = std::min(cells.n, (last + MAX_WIDTH - 1) / MAX_WIDTH * MAX_WIDTH);
            for (Index node = 0; node < N_NODES; ++node) {
                Field at_node[2];
                const double at = centres[c] + NODES[node] * CELL_WIDTH;
                sum_window(centres, cells.moments(BETTER, ONE), cells.rows.stride(), first, last, c, at, at_node);
                // Beyond the window phi is 1 for worse documents far above a better one and better ones far below a worse.
                at_node[BETTER].gradient += sum_before(WORSE, D)[first];
                at_node[BETTER].gradient_by_D -= sum_before(WORSE, ONE)[first];
                at_node[WORSE].gradient -= sum_before(BETTER, D)[cells.n] - sum_before(BETTER, D)[last];
                at_node[WORSE].gradient_by_D += sum_before(BETTER, ONE)[cells.n] - sum_before(BETTER, ONE)[last];
                for (const Index kind : {BETTER, WORSE}) fields(c, kind * N_NODES + node) = at_node[kind];
            }
        }
    });
    return fields;
}

// Value at distance `delta` from a cell's centre of the parabola through the fields at its nodes.
Field interpolate(const Field* at_nodes, double delta) {
    Field at{};
    for (Index node = 0; node < N_NODES; ++node) {
        double weight = 1;
        for (Index other = 0; other < N_NODES; ++other)
            if (other != node) weight *= (delta - NODES[other] * CELL_WIDTH) / ((NODES[node] - NODES[other]) * CELL_WIDTH);
        at.gradient += weight * at_nodes[node].gradient, at.gradient_by_D += weight * at_nodes[node].gradient_by_D;
        at.hessian += weight * at_nodes[node].hessian, at.hessian_by_D += weight * at_nodes[node].hessian_by_D;
    }
    return at;
}

// Absolute values of gradient and hessian of each document by rank, without ties.
struct Sums {
    Array<double> gradient, hessian;
};

// Adds the far field, interpolated between the nodes, and the pairs within the cell, where phi is a polynomial.
Sums near_fields(const Ranking& ranking, Cells& cells, const Table<Field>& fields) {
    Sums sums{Array<double>(ranking.s.size()), Array<double>(ranking.s.size())};
    for_each_block(cells.n, CELLS_OF_A_BLOCK, [&](Index first, Index end) {
        for (Index c = first; c < end; ++c) {
            double net[2][N_MOMENTS];  // moments of the documents above in the cell minus those below
            for (const Index kind : {BETTER, WORSE})
                for (Index moment = 0; moment < N_MOMENTS; ++moment) net[kind][moment] = -cells.moments(kind, moment)[c];
            for (Index i = cells.starts[c]; i < cells.starts[c + 1]; ++i) {
                const double delta = ranking.s[i] - cells.centres()[c], discount = ranking.D[i];
                const Index kind = ranking.kind[i];
                double* mine = net[kind];  // counts as above from now on
                mine[ONE] += 2, mine[DELTA] += 2 * delta, mine[DELTA_2] += 2 * delta * delta;
                mine[D] += 2 * discount, mine[D_DELTA] += 2 * discount * delta,
                    mine[D_DELTA_2] += 2 * discount * delta * delta;
                const double* m = net[1 - kind];
                const double zeroth = m[D] - discount * m[ONE], first_moment = m[D_DELTA] - discount * m[DELTA],
                             second_moment = m[D_DELTA_2] - discount * m[DELTA_2], sign = kind == WORSE ? 0.25 : -0.25;
                const Field far = interpolate(fields[c].data() + kind * N_NODES, delta);
                sums.gradient[i] =
                    0.5 * zeroth + sign * (delta * zeroth - first_moment) + far.gradient + discount * far.gradient_by_D;
                sums.hessian[i] = 0.25 * zeroth - (delta * delta * zeroth - 2 * delta * first_moment + second_moment) / 16 +
                                  far.hessian + discount * far.hessian_by_D;
            }
        }
    });
    return sums;
}

// Adds tied pairs, whose discounts are equal too: phi is 1/2, or 1/4.
void add_ties(const pairwise::Documents& d, Span<const Index> order, const Ranking& ranking, Sums& sums) {
    for (Index start = 0, end; start < d.n; start = end) {
        Index n_worse = 0;
        for (end = start; end < d.n && d.group[order[end]] == d.group[order[start]]; ++end)
            n_worse += ranking.kind[end] == WORSE;
        for (Index i = start; i < end; ++i) {
            const Index others = ranking.kind[i] == WORSE ? end - start - n_worse : n_worse;
            sums.gradient[i] += 0.5 * static_cast<double>(others) * d.tied[order[i]];
            sums.hessian[i] += 0.25 * static_cast<double>(others) * d.tied[order[i]];
        }
    }
}

}  // namespace

void sum(pairwise::Documents& d, Index n_worse) {
    const Array<Index> order = pairwise::order_by_group(d);
    const Ranking ranking(d, n_worse, order);
    Cells cells(ranking);
    Sums sums = near_fields(ranking, cells, far_fields(cells));
    add_ties(d, order, ranking, sums);
    const double weight = std::fabs(d.gain[d.n - 1] - d.gain[0]);
    for (Index i = 0; i < d.n; ++i) {
        d.gradient[order[i]] += (ranking.kind[i] == WORSE ? weight : -weight) * sums.gradient[i];
        d.hessian[order[i]] += weight * std::max(sums.hessian[i], 0.0);
    }
}

}  // namespace directrank::long_queries

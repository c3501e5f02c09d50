#include "matrix/mercer_kernels.hpp"

#include <cstdint>

#include "clones.hpp"
#include "elementary.hpp"
#include "thread_pool.hpp"
#include "vectors.hpp"

namespace directrank::mercer_kernels {
namespace {

struct Product {
    template <class Y>
    static Y term(double x, const Y& y) {
        return x * y;
    }
};

struct SquaredDifference {
    template <class Y>
    static Y term(double x, const Y& y) {
        const Y difference = x - y;
        return difference * difference;
    }
};

// Sums of n_rows rows of X with a panel of rows of Y, stored feature by feature.
template <class Term, int n_vectors, int n_rows>
inline void sum_rows(const double* X, Index n_features, const double* panel, double* sums, Index stride) {
    constexpr Index PANEL = n_vectors * WIDTH;
    Doubles totals[n_rows][n_vectors] = {};
    for (Index j = 0; j < n_features; ++j)
        for (int row = 0; row < n_rows; ++row) {
            const double x = X[row * n_features + j];
            for (int v = 0; v < n_vectors; ++v)
                totals[row][v] = totals[row][v] + Term::term(x, load(panel + j * PANEL + v * WIDTH));
        }
    for (int row = 0; row < n_rows; ++row)
        for (int v = 0; v < n_vectors; ++v) store(totals[row][v], sums + row * stride + v * WIDTH);
}

template <class Term, int n_vectors>
inline void sum_all_rows(const double* X, Index n_rows, Index n_features, const double* panel, double* sums, Index stride) {
    constexpr int ROWS = 8 / n_vectors;  // enough independent sums to hide the latency of additions
    Index i = 0;
    for (; i + ROWS <= n_rows; i += ROWS)
        sum_rows<Term, n_vectors, ROWS>(X + i * n_features, n_features, panel, sums + i * stride, stride);
    for (; i < n_rows; ++i)
        sum_rows<Term, n_vectors, 1>(X + i * n_features, n_features, panel, sums + i * stride, stride);
}

// Sums of one row with n_rows rows of Y, four per vector.
template <class Term>
inline void sum_with_one(const double* x, const double* Y, Index n_rows, Index n_features, double* sums) {
    constexpr int VECTORS = 4;  // enough independent sums to hide the latency of additions
    const Index n = n_features;
    Index i = 0;
    for (; i + VECTORS * WIDTH <= n_rows; i += VECTORS * WIDTH) {
        Doubles totals[VECTORS] = {};
        for (Index j = 0; j < n; ++j)
            for (int v = 0; v < VECTORS; ++v) {
                const double* y = Y + (i + v * WIDTH) * n + j;
                totals[v] = totals[v] + Term::term(x[j], Doubles{y[0], y[n], y[2 * n], y[3 * n]});
            }
        for (int v = 0; v < VECTORS; ++v) store(totals[v], sums + i + v * WIDTH);
    }
    for (; i < n_rows; ++i) {
        sums[i] = 0;
        for (Index j = 0; j < n_features; ++j) sums[i] += Term::term(x[j], Y[i * n_features + j]);
    }
}

DIRECTRANK_CLONES
void sum_products_with_one(const double* x, const double* Y, Index n_rows, Index n_features, double* sums) {
    sum_with_one<Product>(x, Y, n_rows, n_features, sums);
}

DIRECTRANK_CLONES
void sum_squares_with_one(const double* x, const double* Y, Index n_rows, Index n_features, double* sums) {
    sum_with_one<SquaredDifference>(x, Y, n_rows, n_features, sums);
}

DIRECTRANK_CLONES
void sum_products(const double* X, Index n_rows, Index n_features, const double* panel, double* sums, Index stride) {
    sum_all_rows<Product, 2>(X, n_rows, n_features, panel, sums, stride);
}

DIRECTRANK_CLONES
void sum_products_of_few(const double* X, Index n_rows, Index n_features, const double* panel, double* sums, Index stride) {
    sum_all_rows<Product, 1>(X, n_rows, n_features, panel, sums, stride);
}

DIRECTRANK_CLONES
void sum_squares(const double* X, Index n_rows, Index n_features, const double* panel, double* sums, Index stride) {
    sum_all_rows<SquaredDifference, 2>(X, n_rows, n_features, panel, sums, stride);
}

DIRECTRANK_CLONES
void sum_squares_of_few(const double* X, Index n_rows, Index n_features, const double* panel, double* sums, Index stride) {
    sum_all_rows<SquaredDifference, 1>(X, n_rows, n_features, panel, sums, stride);
}

// Kernels for one row, and for panels of 8 and of 4 rows of Y.
struct Sums {
    void (*with_one)(const double* x, const double* Y, Index n_rows, Index n_features, double* sums);
    void (*of_8)(const double* X, Index n_rows, Index n_features, const double* panel, double* sums, Index stride);
    void (*of_4)(const double* X, Index n_rows, Index n_features, const double* panel, double* sums, Index stride);
};

constexpr Sums PRODUCTS{sum_products_with_one, sum_products, sum_products_of_few};
constexpr Sums SQUARES{sum_squares_with_one, sum_squares, sum_squares_of_few};

// Number of rows of X per pass over a panel.
constexpr Index BLOCK = 256;

Table<double> sums_of_pairs(Grid<const double> X, Grid<const double> Y, const Sums& how) {
    const Index n_features = X.columns(), size = Y.rows() <= WIDTH ? WIDTH : 2 * WIDTH;
    const auto sum = Y.rows() <= WIDTH ? how.of_4 : how.of_8;
    const Index n_panels = (Y.rows() + size - 1) / size, n_blocks = (X.rows() + BLOCK - 1) / BLOCK;
    Table<double> values(X.rows(), Y.rows());
    parallel(n_panels * n_blocks, [&](Index part) {
        const Index start = part % n_panels * size, n = std::min(size, Y.rows() - start);
        auto panel = Array<double>::zeros(n_features * size);
        for (Index y = 0; y < n; ++y)
            for (Index j = 0; j < n_features; ++j) panel[j * size + y] = Y(start + y, j);
        const Index first = part / n_panels * BLOCK, n_rows = std::min(BLOCK, X.rows() - first);
        if (n == size) {
            sum(X[first].data(), n_rows, n_features, panel.data(), &values(first, start), values.columns());
        } else {
            double sums[BLOCK * 2 * WIDTH];
            sum(X[first].data(), n_rows, n_features, panel.data(), sums, size);
            for (Index i = 0; i < n_rows; ++i) std::copy(sums + i * size, sums + i * size + n, &values(first + i, start));
        }
    });
    return values;
}

// `sums_of_pairs`, to the last bit; if X has few rows, they are the panel.
Table<double> sums_either_way(Grid<const double> X, Grid<const double> Y, const Sums& how) {
    if (X.rows() == 1) {
        Table<double> values(1, Y.rows());
        for_each_block(Y.rows(), BLOCK, [&](Index first, Index last) {
            how.with_one(X.data(), Y[first].data(), last - first, Y.columns(), &values(0, first));
        });
        return values;
    }
    if (X.rows() > 2 * WIDTH || X.rows() >= Y.rows()) return sums_of_pairs(X, Y, how);
    const auto transposed = sums_of_pairs(Y, X, how);
    Table<double> values(X.rows(), Y.rows());
    for (Index y = 0; y < Y.rows(); ++y)
        for (Index x = 0; x < X.rows(); ++x) values(x, y) = transposed(y, x);
    return values;
}

// Products of `side_by_side` densified rows of X at a time with each row of Y.
template <int side_by_side, class I, class J>
void multiply_spread_out(const Csr<double, I>& X, const Csr<double, J>& Y, Index first, Index last, Grid<double> values) {
    auto spread = Array<double>::zeros(side_by_side * X.columns);
    for (Index i = first; i < last; i += side_by_side) {
        const Index n = std::min<Index>(side_by_side, last - i);
        for (Index row = 0; row < n; ++row)
            for (Index k = X.start(i + row); k < X.end(i + row); ++k) spread[X.indices[k] * side_by_side + row] = X.data[k];
        for (Index y = 0; y < Y.rows(); ++y) {
            double totals[side_by_side] = {};
            for (Index k = Y.start(y); k < Y.end(y); ++k) {
                const double* x = &spread[Y.indices[k] * side_by_side];
                for (int row = 0; row < side_by_side; ++row) totals[row] += Y.data[k] * x[row];
            }
            for (Index row = 0; row < n; ++row) values(i + row, y) = totals[row];
        }
        for (Index row = 0; row < n; ++row)
            for (Index k = X.start(i + row); k < X.end(i + row); ++k) spread[X.indices[k] * side_by_side + row] = 0;
    }
}

inline double value_if(bool counts, double value) { return from_bits(to_bits(value) & -std::uint64_t{counts}); }

// |x - y|^2 from the differences, without cancellation for close rows.
template <class I, class J>
double distance(const Csr<double, I>& X, Index i, const Csr<double, J>& Y, Index y) {
    double total = 0;
    Index k = X.start(i), other = Y.start(y);
    const Index end = X.end(i), other_end = Y.end(y);
    while (k < end && other < other_end) {  // branchless: the next feature is unpredictable
        const Index feature = X.indices[k], other_feature = Y.indices[other];
        const bool has = feature <= other_feature, other_has = other_feature <= feature;
        const double difference = value_if(has, X.data[k]) - value_if(other_has, Y.data[other]);
        total += difference * difference;
        k += has;
        other += other_has;
    }
    for (; k < end; ++k) total += X.data[k] * X.data[k];
    for (; other < other_end; ++other) total += Y.data[other] * Y.data[other];
    return total;
}

DIRECTRANK_CLONES
void exponentials(double* distances, Index n, double gamma) {
    for (Index i = 0; i < n; ++i) distances[i] = exponential(-gamma * distances[i]);
}

inline double power(double base, Index degree) {
    double result = degree % 2 ? base : 1.0;
    while (degree /= 2) {
        base *= base;
        if (degree % 2) result *= base;
    }
    return result;
}

template <class Work>
void for_each_run(Grid<double> values, const Work& work) {
    for_each_block(values.rows() * values.columns(), 4096,
                   [&](Index start, Index end) { work(values.data() + start, end - start); });
}

}  // namespace

Table<double> products(Grid<const double> X, Grid<const double> Y) { return sums_either_way(X, Y, PRODUCTS); }
Table<double> distances(Grid<const double> X, Grid<const double> Y) { return sums_either_way(X, Y, SQUARES); }

template <class I, class J>
Table<double> products(const Csr<double, I>& X, const Csr<double, J>& Y) {
    Table<double> values(X.rows(), Y.rows());
    for_each_block(X.rows(), 64, [&](Index first, Index last) {
        if (X.columns <= 1 << 16)
            multiply_spread_out<4>(X, Y, first, last, values);
        else
            multiply_spread_out<1>(X, Y, first, last, values);
    });
    return values;
}

template <class I, class J>
Table<double> distances(const Csr<double, I>& X, const Csr<double, J>& Y) {
    Table<double> values(X.rows(), Y.rows());
    for_each_block(X.rows(), 4, [&](Index first, Index last) {
        for (Index i = first; i < last; ++i)
            for (Index y = 0; y < Y.rows(); ++y) values(i, y) = distance(X, i, Y, y);
    });
    return values;
}

template Table<double> products(const Csr<double, std::int32_t>&, const Csr<double, std::int32_t>&);
template Table<double> products(const Csr<double, std::int32_t>&, const Csr<double, std::int64_t>&);
template Table<double> products(const Csr<double, std::int64_t>&, const Csr<double, std::int32_t>&);
template Table<double> products(const Csr<double, std::int64_t>&, const Csr<double, std::int64_t>&);
template Table<double> distances(const Csr<double, std::int32_t>&, const Csr<double, std::int32_t>&);
template Table<double> distances(const Csr<double, std::int32_t>&, const Csr<double, std::int64_t>&);
template Table<double> distances(const Csr<double, std::int64_t>&, const Csr<double, std::int32_t>&);
template Table<double> distances(const Csr<double, std::int64_t>&, const Csr<double, std::int64_t>&);

void to_rbf(Grid<double> distances, double gamma) {
    for_each_run(distances, [&](double* values, Index n) { exponentials(values, n, gamma); });
}

void to_poly(Grid<double> products, double gamma, double coef0, Index degree) {
    for_each_run(products, [&](double* values, Index n) {
        for (Index i = 0; i < n; ++i) values[i] = power(gamma * values[i] + coef0, degree);
    });
}

}  // namespace directrank::mercer_kernels

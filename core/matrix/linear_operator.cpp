#include "matrix/linear_operator.hpp"

#include "clones.hpp"
#include "vectors.hpp"

namespace directrank::linear_operator {
namespace {

constexpr int VECTORS = LANES / WIDTH;

Index padded(Index n) { return (n + WIDTH - 1) / WIDTH * WIDTH; }

// Number of leading rows that can be read by `WIDTH` values at a time, since the next row follows.
template <class T>
Index readable_rows(const Dense<T>& X) {
    if (X.columns() % WIDTH == 0) return X.rows();
    if (X.row_stride() < X.columns()) return 0;
    const Index too_far = padded(X.columns()) - X.columns();
    return std::max<Index>(0, X.rows() - (too_far + X.row_stride() - 1) / X.row_stride());
}

// Rows of a matrix in the order in which they are summed, each readable by `WIDTH` values at a time: copies take the place of
// the last rows where the next row does not follow.
template <class T>
class OrderedRows {
  public:
    OrderedRows(const Dense<T>& X, Span<const Index> order)
        : X_(X), order_(order.empty() ? nullptr : order.data()), readable_(readable_rows(X)),
          last_(Table<T>::zeros(X.rows() - readable_, padded(X.columns()))) {
        for (Index i = readable_; i < X.rows(); ++i)
            std::copy(X.row(i), X.row(i) + X.columns(), last_[i - readable_].begin());
    }
    Index columns() const { return X_.columns(); }
    const T* operator[](Index place) const {
        const Index row = order_ ? order_[place] : place;
        return row < readable_ ? X_.row(row) : last_[row - readable_].data();
    }

  private:
    Dense<T> X_;
    const Index* order_;
    Index readable_;
    Table<T> last_;
};

// A copy of a row, padded to be read by `WIDTH` values at a time.
template <class T>
Array<T> padded_row(const Dense<T>& X, Index row) {
    auto copy = Array<T>::zeros(padded(X.columns()));
    std::copy(X.row(row), X.row(row) + X.columns(), copy.begin());
    return copy;
}

// Prefetches memory `DISTANCE` bytes ahead of these values, for all lanes; it may be beyond the end of the matrix.
template <class T>
inline void fetch_ahead(const T* values) {
    constexpr std::uintptr_t DISTANCE = 4096, LINE = 64;
    const auto ahead = reinterpret_cast<std::uintptr_t>(values) + DISTANCE;
    for (std::uintptr_t line = 0; line < LANES * sizeof(T); line += LINE) fetch(reinterpret_cast<const void*>(ahead + line));
}

// Products of rows with w, which can be read by `WIDTH` values at a time.
template <class T>
inline void multiply_rows(const T* X, Index stride, Index n_rows, Index n_columns, const double* w, double* values) {
    const Index whole = n_columns - n_columns % LANES, rest = n_columns - whole;
    Mask masks[VECTORS];
    for (int v = 0; v < VECTORS; ++v) masks[v] = first_lanes(rest - v * WIDTH);
    for (Index i = 0; i < n_rows; ++i) {
        const T* row = X + i * stride;
        Doubles lanes[VECTORS] = {};
        for (Index j = 0; j < whole; j += LANES) {
            fetch_ahead(row + j);
            for (int v = 0; v < VECTORS; ++v)
                lanes[v] = lanes[v] + load(row + j + v * WIDTH) * load(w + j + v * WIDTH);
        }
        for (int v = 0; v < VECTORS; ++v)
            if (rest > v * WIDTH)
                lanes[v] = lanes[v] + masked(load(row + whole + v * WIDTH) * load(w + whole + v * WIDTH), masks[v]);
        values[i] = sum((lanes[0] + lanes[2]) + (lanes[1] + lanes[3]));
    }
}

DIRECTRANK_CLONES
void multiply(const float* X, Index stride, Index n_rows, Index n_columns, const double* w, double* values) {
    multiply_rows(X, stride, n_rows, n_columns, w, values);
}

DIRECTRANK_CLONES
void multiply(const double* X, Index stride, Index n_rows, Index n_columns, const double* w, double* values) {
    multiply_rows(X, stride, n_rows, n_columns, w, values);
}

template <class T>
void matvec_by_rows(const Dense<T>& X, Span<const double> w, Span<double> values) {
    const Index n_readable = readable_rows(X);
    for_each_block(n_readable, BLOCK / std::max<Index>(X.columns(), 1) + 1, [&](Index first, Index last) {
        multiply(X.row(first), X.row_stride(), last - first, X.columns(), w.data(), values.data() + first);
    });
    for (Index i = n_readable; i < X.rows(); ++i)
        multiply(padded_row(X, i).data(), 0, 1, X.columns(), w.data(), values.data() + i);
}

// Number of rows summed side by side if the values of a row are far apart.
constexpr Index SIDE_BY_SIDE = 128;

// values[i] += x[i] w
template <class T>
inline void add_column(const T* x, Index stride, Index n, double w, double* __restrict values) {
    if (stride == 1)
        for (Index i = 0; i < n; ++i) values[i] += static_cast<double>(x[i]) * w;
    else
        for (Index i = 0; i < n; ++i) values[i] += static_cast<double>(x[i * stride]) * w;
}

DIRECTRANK_CLONES
void add(const float* x, Index stride, Index n, double w, double* values) { add_column(x, stride, n, w, values); }

DIRECTRANK_CLONES
void add(const double* x, Index stride, Index n, double w, double* values) { add_column(x, stride, n, w, values); }

template <class T>
void matvec_by_columns(const Dense<T>& X, Span<const double> w, Span<double> values) {
    for_each_block(X.rows(), SIDE_BY_SIDE, [&](Index first, Index last) {
        const Index n = last - first, n_lanes = std::min<Index>(LANES, X.columns());
        double lanes[LANES][SIDE_BY_SIDE];
        for (int lane = 0; lane < std::max<Index>(n_lanes, 1); ++lane) std::fill(lanes[lane], lanes[lane] + n, 0.0);
        for (Index j = 0; j < X.columns(); ++j)
            add(X.row(first) + j * X.column_stride(), X.row_stride(), n, w[j], lanes[j % LANES]);
        for (int width = LANES / 2; width > 0; width /= 2)
            for (int lane = 0; lane < width && lane + width < n_lanes; ++lane)
                for (Index i = 0; i < n; ++i) lanes[lane][i] += lanes[lane + width][i];
        std::copy(lanes[0], lanes[0] + n, values.data() + first);
    });
}

template <class T>
Array<double> matvec_dense(const Dense<T>& X, Span<const double> w) {
    Array<double> values(X.rows());
    if (!X.has_contiguous_rows() || X.has_contiguous_columns()) {
        matvec_by_columns<T>(X, w, values);
    } else if (w.size() % WIDTH == 0) {
        matvec_by_rows<T>(X, w, values);
    } else {
        auto weights = Array<double>::zeros(padded(w.size()));
        std::copy(w.begin(), w.end(), weights.begin());
        matvec_by_rows<T>(X, weights, values);
    }
    return values;
}

// Number of rows added at a time, and number of rows prefetched, by benchmarks. Rows shorter than a few cache lines need no
// prefetching.
struct Long {
    template <class T>
    static constexpr int TOGETHER = sizeof(T) == 4 ? 4 : 1;
    template <class T>
    static constexpr Index AHEAD = sizeof(T) == 4 ? 16 : 8;
};
struct Short {
    template <class T>
    static constexpr int TOGETHER = 2;
    template <class T>
    static constexpr Index AHEAD = 0;
};
constexpr std::size_t SHORT = 256;  // bytes

template <int n_rows, class T>
inline void add_rows(const T* const* rows, const double* coefficients, Index start, Index end, double* sums) {
    for (Index j = start; j < end; j += WIDTH) {
        Doubles total = load(sums + j);
        for (int row = 0; row < n_rows; ++row) total = total + coefficients[row] * load(rows[row] + j);
        store(total, sums + j);
    }
}

// Adds rows [start, end) times coefficients to the sums, which can be read by `WIDTH` values at a time.
template <class How, class T>
inline void add_weighted_rows(const OrderedRows<T>& X, Index start, Index end, const double* coefficients, double* sums) {
    constexpr int N = How::template TOGETHER<T>;
    constexpr Index AHEAD = How::template AHEAD<T>, BLOCK = 512, LINE = 64 / sizeof(T);
    const Index n_columns = X.columns();
    Index chosen[BLOCK];  // rows of a block with a nonzero coefficient
    for (Index first = start; first < end; first += BLOCK) {
        Index n_chosen = 0, k = 0;
        for (Index i = first; i < std::min(first + BLOCK, end); ++i) {
            chosen[n_chosen] = i;
            n_chosen += coefficients[i] != 0;
        }
        const T *rows[N];
        [[maybe_unused]] const T* ahead[N];
        double factors[N];
        for (; k + N <= n_chosen; k += N) {
            for (int row = 0; row < N; ++row) {
                rows[row] = X[chosen[k + row]];
                if constexpr (AHEAD > 0) ahead[row] = X[chosen[std::min(k + row + AHEAD, n_chosen - 1)]];
                factors[row] = coefficients[chosen[k + row]];
            }
            if constexpr (AHEAD > 0) {
                for (Index j = 0; j < n_columns; j += LINE) {
                    for (int row = 0; row < N; ++row) fetch(ahead[row] + j);
                    add_rows<N>(rows, factors, j, std::min(j + LINE, n_columns), sums);
                }
            } else {
                add_rows<N>(rows, factors, 0, n_columns, sums);
            }
        }
        for (; k < n_chosen; ++k) {
            rows[0] = X[chosen[k]];
            add_rows<1>(rows, coefficients + chosen[k], 0, n_columns, sums);
        }
    }
}

template <class T>
inline void add_weighted(const OrderedRows<T>& X, Index first, Index last, const double* coefficients, double* sums) {
    if (static_cast<std::size_t>(X.columns()) * sizeof(T) < SHORT)
        add_weighted_rows<Short>(X, first, last, coefficients, sums);
    else
        add_weighted_rows<Long>(X, first, last, coefficients, sums);
}

// Adds rows [first, last) times coefficients to padded sums.
DIRECTRANK_CLONES
void add_range(const OrderedRows<float>& X, Index first, Index last, const double* coefficients, double* sums) {
    add_weighted(X, first, last, coefficients, sums);
}

DIRECTRANK_CLONES
void add_range(const OrderedRows<double>& X, Index first, Index last, const double* coefficients, double* sums) {
    add_weighted(X, first, last, coefficients, sums);
}

// `add_range` for column-major layouts.
template <class T>
void add_range_by_columns(const Dense<T>& X, Span<const Index> order, Span<const double> coefficients, Index first,
                          Index last, double* sums) {
    constexpr Index SIDE_BY_SIDE = 8;
    for (Index start = 0; start < X.columns(); start += SIDE_BY_SIDE) {
        const Index n = std::min(SIDE_BY_SIDE, X.columns() - start);
        double total[SIDE_BY_SIDE] = {};
        for (Index i = first; i < last; ++i)
            if (coefficients[i] != 0) {
                const Index row = order.empty() ? i : order[i];
                for (Index j = 0; j < n; ++j) total[j] += coefficients[i] * static_cast<double>(X(row, start + j));
            }
        std::copy(total, total + n, sums + start);
    }
}

// One task per part of the rows.
template <class T>
Array<double> rmatvec_by_rows(const Dense<T>& X, Span<const Index> order, Span<const double> coefficients,
                              Index n_parts) {
    auto parts = Table<double>::zeros(n_parts, padded(X.columns()));
    if (X.has_contiguous_rows()) {
        const OrderedRows<T> rows(X, order);
        for_each_part(X.rows(), n_parts, [&](Index part, Index first, Index last) {
            add_range(rows, first, last, coefficients.data(), parts[part].data());
        });
    } else {
        for_each_part(X.rows(), n_parts, [&](Index part, Index first, Index last) {
            add_range_by_columns(X, order, coefficients, first, last, parts[part].data());
        });
    }
    auto sums = sum_of_parts(parts);
    sums.shrink(X.columns());
    return sums;
}

// Number of columns of a task, if there are more columns than rows.
constexpr Index COLUMNS = 512;

// One task per block of columns, for all parts of the rows.
template <class T>
Array<double> rmatvec_by_columns(const Dense<T>& X, Span<const Index> order, Span<const double> coefficients,
                                 Index n_parts) {
    auto sums = Array<double>::zeros(X.columns());
    for_each_block(X.columns(), COLUMNS, [&](Index start, Index end) {
        const OrderedRows<T> block({X.data() + start, X.rows(), end - start, X.row_stride(), 1}, order);
        for (Index part = 0; part < n_parts; ++part) {
            alignas(64) double partial[COLUMNS] = {};
            add_range(block, part * X.rows() / n_parts, (part + 1) * X.rows() / n_parts, coefficients.data(), partial);
            for (Index j = start; j < end; ++j) sums[j] += partial[j - start];
        }
    });
    return sums;
}

template <class T>
Array<double> rmatvec_dense(const Dense<T>& X, Span<const Index> order, Span<const double> coefficients, Index n_parts) {
    if (X.rows() <= n_parts) n_parts = 1;  // parts of at most one row are useless
    const bool is_flat = X.rows() < X.columns() && X.has_contiguous_rows();
    return is_flat ? rmatvec_by_columns(X, order, coefficients, n_parts) : rmatvec_by_rows(X, order, coefficients, n_parts);
}

}  // namespace

Array<double> matvec(Dense<float> X, Span<const double> w) { return matvec_dense(X, w); }
Array<double> matvec(Dense<double> X, Span<const double> w) { return matvec_dense(X, w); }

Array<double> rmatvec(Dense<float> X, Span<const Index> order, Span<const double> coefficients, Index n_parts) {
    return rmatvec_dense(X, order, coefficients, n_parts);
}
Array<double> rmatvec(Dense<double> X, Span<const Index> order, Span<const double> coefficients, Index n_parts) {
    return rmatvec_dense(X, order, coefficients, n_parts);
}

Array<double> sum_of_parts(Grid<const double> parts) {
    auto sums = Array<double>::zeros(parts.columns());
    for_each_block(parts.columns(), 4096, [&](Index start, Index end) {
        for (Index part = 0; part < parts.rows(); ++part)
            for (Index j = start; j < end; ++j) sums[j] += parts(part, j);
    });
    return sums;
}

}  // namespace directrank::linear_operator

#include "learners/svm/dual.hpp"

#include <cmath>
#include <limits>

#include "clones.hpp"
#include "lanes.hpp"
#include "measures/ranking/sorting.hpp"

namespace directrank::dual {
namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();

inline double dot(const double* a, const double* b, Index n) {
    return sum_in_lanes(n, [=](Index i) { return a[i] * b[i]; });
}

// y += factor x
inline void add(double* __restrict y, double factor, const double* __restrict x, Index n) {
    for (Index i = 0; i < n; ++i) y[i] += factor * x[i];
}

// Solves L^T x = y in place: x holds y on entry. L is lower triangular, with m rows of length d.
inline void solve_transposed_in_place(const double* triangle, Index d, Index m, double* x) {
    for (Index i = m - 1; i >= 0; --i) {
        x[i] /= triangle[i * d + i];
        add(x, -x[i], triangle + i * d, i);
    }
}

inline void orthogonalise_inline(double* vector, Index d, const double* basis, Index m, double* along) {
    for (Index i = 0; i < m; ++i) along[i] = 0;
    double size = dot(vector, vector, d);
    for (int pass = 0; pass < 2; ++pass) {
        const double before = size;
        for (Index i = 0; i < m; ++i) {
            const double component = dot(basis + i * d, vector, d);
            add(vector, -component, basis + i * d, d);
            along[i] += component;
        }
        size = dot(vector, vector, d);
        if (size > before / 4) break;  // otherwise repeat, to remove rounding errors
    }
}

DIRECTRANK_CLONES
void orthogonalise(double* vector, Index d, const double* basis, Index m, double* along) {
    orthogonalise_inline(vector, d, basis, m, along);
}

DIRECTRANK_CLONES
void solve_transposed(const double* triangle, Index d, Index m, double* x) {
    solve_transposed_in_place(triangle, d, m, x);
}

// Writes the multipliers x and the weights w at which m free planes, triangle times basis, have equal slacks and the
// multipliers have the right sum.
//
// With planes L Q, Q the basis, and their constant coordinate sigma: the w of least norm whose products with the planes are
// b is Q^T p, L p = b. Moving w along the component of the last unit vector e that is orthogonal to all planes leaves the
// products unchanged. The sum is right if the last coordinate of w is `last`, sigma times the total; the multipliers solve
// L^T x = Q w. Adding a constant to b changes neither: subtracting its mean avoids cancellation if the total is small.
DIRECTRANK_CLONES
void solve_equations(const double* basis, const double* triangle, Index d, Index m, const double* b, double last, double* x,
                     double* w, double* p, double* e, double* residual) {
    for (Index i = 0; i < m; ++i) p[i] = (b[i] - dot(triangle + i * d, p, i)) / triangle[i * d + i];
    for (Index i = 0; i < d; ++i) w[i] = 0, residual[i] = 0;
    for (Index i = 0; i < m; ++i) add(w, p[i], basis + i * d, d);
    residual[d - 1] = 1;
    orthogonalise_inline(residual, d, basis, m, e);
    const double missing = (last - w[d - 1]) / dot(e, e, m);
    for (Index i = 0; i < m; ++i) x[i] = p[i] + missing * e[i];
    solve_transposed_in_place(triangle, d, m, x);
    add(w, -missing, residual, d);
}

// Writes the slack of each plane, without the last coordinate.
DIRECTRANK_CLONES
void find_slacks(const double* planes, Index k, Index d, const double* offsets, const double* w, double* slacks) {
    for (Index i = 0; i < k; ++i) slacks[i] = offsets[i] - dot(planes + i * d, w, d - 1);
}

inline void rotate(double& first, double& second, double cosine, double sine) {
    const double before = first;
    first = cosine * before + sine * second;
    second = cosine * second - sine * before;
}

DIRECTRANK_CLONES
void rotate_rows(double* __restrict first, double* __restrict second, Index n, double cosine, double sine) {
    for (Index i = 0; i < n; ++i) rotate(first[i], second[i], cosine, sine);
}

DIRECTRANK_CLONES
double norm(const double* vector, Index n) { return std::sqrt(dot(vector, vector, n)); }

// sqrt(a^2 + b^2) without underflow of the squares.
double hypotenuse(double a, double b) {
    const double large = std::max(std::abs(a), std::abs(b)), ratio = std::min(std::abs(a), std::abs(b)) / large;
    return large * std::sqrt(1 + ratio * ratio);
}

// The active set: free multipliers; the others are 0.
class ActiveSet {
  public:
    // A zero plane takes the rest of the total, so that all multipliers add up to it. A constant coordinate, equal for all
    // planes, then adds a constant to the objective, and the zero plane needs no special case.
    ActiveSet(Grid<const double> planes, Span<const double> offsets, double total, Span<const double> start)
        : k_(planes.rows() + 1),
          d_(planes.columns() + 1),
          total_(total),
          planes_(Table<double>::zeros(k_, d_)),
          offsets_(k_),
          sizes_(k_),
          alpha_(k_),
          is_free_(k_, false),
          basis_(d_, d_),
          triangle_(d_, d_),
          free_(d_),
          w_(d_, 0.0) {
        double squares = 0, used = 0;
        for (Index i = 0; i < k_ - 1; ++i) {
            std::copy(planes[i].begin(), planes[i].end(), planes_[i].begin());
            const double size = norm(planes[i].data(), d_ - 1);
            squares += size * size, used += start[i];
            offsets_[i] = offsets[i], alpha_[i] = start[i];
        }
        offsets_[k_ - 1] = 0, alpha_[k_ - 1] = std::max(total - used, 0.0);
        constant_ = std::sqrt(squares / static_cast<double>(k_ - 1));
        if (!(constant_ > 0)) constant_ = 1;
        for (Index i = 0; i < k_; ++i) {
            planes_(i, d_ - 1) = constant_;
            sizes_[i] = norm(planes_[i].data(), d_);
        }
    }

    // Solves the problem on the free multipliers as linear equations, moves to the solution or to the first bound on the
    // way, then frees the multiplier of the largest slack. Returns whether it reached the optimum, up to rounding, within
    // `max_steps` steps.
    bool solve(Index max_steps) {
        for (const Index plane : sorting::descending_order(alpha_.span()))
            if (alpha_[plane] > 0) free_plane(plane);
        Array<double> step(d_), slacks(k_);
        double largest_size = 0, largest_offset = 0;
        for (Index i = 0; i < k_; ++i) {
            largest_size = std::max(largest_size, sizes_[i]);
            largest_offset = std::max(largest_offset, std::abs(offsets_[i]));
        }
        for (Index n_steps = 0; n_steps < max_steps; ++n_steps) {
            find_optimum_of_free(step);
            for (Index i = 0; i < m_; ++i) step[i] -= alpha_[free_[i]];
            const Index blocking = move(step, 1);
            if (blocking >= 0) {
                fix_plane(blocking);
                continue;
            }
            find_slacks(planes_[0].data(), k_, d_, offsets_.data(), w_.data(), slacks.data());
            const Index promising = most_promising(slacks);
            const double rounding = 1e-15 * largest_size * norm(w_.data(), d_ - 1) + 1e-14 * largest_offset;
            if (promising < 0 || slacks[promising] - highest_slack_of_free(slacks) <= rounding) return true;
            free_plane(promising);
        }
        return false;
    }

    // Rounding must not push the sum above the total.
    Optimum optimum(bool converged) const {
        Optimum found{Array<double>(k_ - 1), Array<double>(d_ - 1), converged};
        double used = 0;
        for (Index i = 0; i < k_ - 1; ++i) used += alpha_[i];
        const double factor = used > total_ ? total_ / used : 1.0;
        for (Index i = 0; i < k_ - 1; ++i) found.alpha[i] = alpha_[i] * factor;
        std::copy(w_.begin(), w_.end() - 1, found.w.begin());
        return found;
    }

  private:
    // Writes the optimal multipliers of the free planes, and the weights to w.
    void find_optimum_of_free(Span<double> multipliers) {
        Array<double> b(m_), p(m_), e(m_), residual(d_);
        double mean = 0;
        for (Index i = 0; i < m_; ++i) mean += offsets_[free_[i]];
        mean /= static_cast<double>(m_);
        for (Index i = 0; i < m_; ++i) b[i] = offsets_[free_[i]] - mean;
        solve_equations(basis_[0].data(), triangle_[0].data(), d_, m_, b.data(), constant_ * total_, multipliers.data(),
                        w_.data(), p.data(), e.data(), residual.data());
    }

    // Moves the free multipliers by a step of at most the given length, until one of them is 0; returns its position,
    // or -1.
    Index move(Span<const double> step, double longest) {
        double length = longest;
        Index blocking = -1;
        for (Index i = 0; i < m_; ++i)
            if (step[i] < 0 && alpha_[free_[i]] < -length * step[i]) length = -alpha_[free_[i]] / step[i], blocking = i;
        if (length == INFINITE) return -1;
        for (Index i = 0; i < m_; ++i) alpha_[free_[i]] = std::max(alpha_[free_[i]] + length * step[i], 0.0);
        if (blocking >= 0) alpha_[free_[blocking]] = 0;
        return blocking;
    }

    double sum_of_free() const {
        double sum = 0;
        for (Index i = 0; i < m_; ++i) sum += alpha_[free_[i]];
        return sum;
    }

    // Frees a multiplier.
    //
    // If its plane is a linear combination of the free ones, up to rounding, the objective is linear in the direction that
    // replaces the combination by the plane: moves in that direction until another multiplier is 0, and fixes that one.
    void free_plane(Index plane) {
        Array<double> rest(d_), along(d_);
        while (true) {
            std::copy(planes_[plane].begin(), planes_[plane].end(), rest.begin());
            orthogonalise(rest.data(), d_, basis_[0].data(), m_, along.data());
            const double size = norm(rest.data(), d_);
            if (m_ < d_ && size > 1e-13 * sizes_[plane]) {
                std::copy(along.begin(), along.begin() + m_, triangle_[m_].begin());
                triangle_(m_, m_) = size;
                for (Index i = 0; i < d_; ++i) basis_(m_, i) = rest[i] / size;
                free_[m_++] = plane, is_free_[plane] = true;
                return;
            }
            for (Index i = 0; i < m_; ++i) along[i] = -along[i];
            solve_transposed(triangle_[0].data(), d_, m_, along.data());
            const double before = sum_of_free();
            const Index blocking = move(along, INFINITE);
            if (blocking < 0) return;
            alpha_[plane] += before - sum_of_free();
            fix_plane(blocking);
        }
    }

    // Removes a plane from the free ones, and restores the triangle by rotating the basis.
    void fix_plane(Index at) {
        is_free_[free_[at]] = false;
        --m_;
        for (Index i = at; i < m_; ++i) {
            free_[i] = free_[i + 1];
            std::copy(triangle_[i + 1].begin(), triangle_[i + 1].begin() + i + 2, triangle_[i].begin());
        }
        for (Index i = at; i < m_; ++i) {
            const double size = hypotenuse(triangle_(i, i), triangle_(i, i + 1));
            const double cosine = triangle_(i, i) / size, sine = triangle_(i, i + 1) / size;
            for (Index j = i; j < m_; ++j) rotate(triangle_(j, i), triangle_(j, i + 1), cosine, sine);
            rotate_rows(basis_[i].data(), basis_[i + 1].data(), d_, cosine, sine);
        }
    }

    // Plane of the highest slack among those that are not free; -1 if all are free.
    Index most_promising(Span<const double> slacks) const {
        Index promising = -1;
        for (Index i = 0; i < k_; ++i)
            if (!is_free_[i] && (promising < 0 || slacks[i] > slacks[promising])) promising = i;
        return promising;
    }

    double highest_slack_of_free(Span<const double> slacks) const {
        double highest = -INFINITE;
        for (Index i = 0; i < m_; ++i) highest = std::max(highest, slacks[free_[i]]);
        return highest;
    }

    Index k_, d_, m_ = 0;
    double total_, constant_;
    Table<double> planes_;
    Array<double> offsets_, sizes_, alpha_;
    Array<bool> is_free_;
    // The free planes, in the order in which they were freed, in an orthonormal basis: free plane i is
    // sum_j triangle[i, j] basis[j]. The first m rows are in use.
    Table<double> basis_, triangle_;
    Array<Index> free_;
    Array<double> w_;
};

}  // namespace

void orthogonalise(Span<double> vector, Grid<const double> basis, Span<double> along) {
    orthogonalise(vector.data(), vector.size(), basis.data(), basis.rows(), along.data());
}

Optimum solve(Grid<const double> planes, Span<const double> offsets, double total, Span<const double> start,
              Index max_steps) {
    ActiveSet active(planes, offsets, total, start);
    const bool converged = active.solve(max_steps);
    return active.optimum(converged);
}

}  // namespace directrank::dual

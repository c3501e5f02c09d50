#include "papers/coordinate_descent.hpp"

#include "bindings/matrices.hpp"

using namespace directrank;

namespace {

// A pass in a random order: returns the number of multipliers still active, the counter of the next random word, and the
// range of the gradients.
template <class I>
std::tuple<Index, std::uint64_t, double, double> descend(
    Span<const double> data, Span<const I> indices, Span<const I> indptr, Index n_columns, Span<const double> y,
    Span<const double> squares, double rho, Span<const double> upper, Span<double> alpha, Span<double> w,
    Span<double> balance, double bias, Span<Index> order, Index n_active, std::uint64_t seed, std::uint64_t counter,
    double lowest, double highest) {
    const auto X = checked_csr(data, indices, indptr, n_columns);
    check_length(n_columns, {w.size()});
    check_length(X.rows(), {y.size(), squares.size(), upper.size(), alpha.size(), order.size()});
    check_length(1, {balance.size()});
    check_range(Span<const Index>(order), 0, X.rows());
    if (n_active < 0 || n_active > order.size()) throw std::invalid_argument("more active multipliers than there are");
    counter = coordinate_descent::shuffle(order.slice(0, n_active), seed, counter);
    const coordinate_descent::Rows<I> rows{X, y, squares, rho};
    const auto [still_active, range] =
        coordinate_descent::descend(rows, {alpha, upper, w, balance[0]}, bias, order, n_active, {lowest, highest});
    return {still_active, counter, range.low, range.high};
}

}  // namespace

DIRECTRANK_KERNELS(coordinate_descent) {
    m.def("descend", &descend<std::int32_t>, released);
    m.def("descend", &descend<std::int64_t>, released);
}

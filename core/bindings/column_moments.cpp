#include "learners/core/column_moments.hpp"

#include "bindings/matrices.hpp"

using namespace directrank;

namespace {

template <class T>
Array<Index> power_sums(Dense<T> X, Span<const Index> weights, Span<const Index> columns, bool is_log,
                        Span<const double> centre, Span<const double> factor, Index bits, Index n_parts) {
    check_length(X.rows(), {weights.size()});
    check_range(columns, 0, X.columns());
    check_length(columns.size(), {centre.size(), factor.size()});
    check_parts(n_parts);
    if (bits < 0 || bits > column_moments::MAX_BITS) throw std::invalid_argument("bits outside of those that a sum has");
    return column_moments::power_sums(X, weights, {columns, is_log, centre, factor, bits}, n_parts);
}

}  // namespace

DIRECTRANK_KERNELS(column_moments) {
    m.attr("POWERS") = column_moments::POWERS;
    m.def("power_sums", &power_sums<float>, released);
    m.def("power_sums", &power_sums<double>, released);
}

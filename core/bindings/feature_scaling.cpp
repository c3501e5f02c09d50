#include "matrix/feature_scaling.hpp"

#include <cmath>

#include "bindings/matrices.hpp"

using namespace directrank;

namespace {

// Number of values per unit of work.
constexpr Index BLOCK = 1 << 14;

Array<double> signed_log(Span<const double> x) {
    for (const double value : x)
        if (!std::isfinite(value)) throw std::invalid_argument("the logarithm of a number outside of the finite ones");
    Array<double> y(x.size());
    for_each_block(x.size(), BLOCK, [&](Index start, Index end) {
        feature_scaling::signed_logs(x.data() + start, end - start, y.data() + start);
    });
    return y;
}

template <class T>
void apply(Dense<T> X, Span<const Index> logs, Span<const double> divisor, Span<const double> fill,
           Span<const Index> indicators, Grid<T> scaled) {
    check_length(X.columns(), {divisor.size(), fill.size()});
    check_range(logs, 0, X.columns());
    check_range(indicators, 0, X.columns());
    check_length(X.rows(), {scaled.rows()});
    check_length(X.columns() + indicators.size(), {scaled.columns()});
    feature_scaling::apply(X, {logs, divisor, fill, indicators}, scaled);
}

}  // namespace

DIRECTRANK_KERNELS(feature_scaling) {
    m.def("signed_log", &signed_log, released);
    m.def("apply", &apply<float>, released);
    m.def("apply", &apply<double>, released);
}

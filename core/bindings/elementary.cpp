#include "elementary.hpp"

#include <limits>

#include "bindings/kernels.hpp"

using namespace directrank;

namespace {

using Function = void (*)(const double* x, Index n, double* y);

// Number of values per unit of work.
constexpr Index BLOCK = 1 << 14;

Array<double> each(Function function, Span<const double> x) {
    Array<double> y(x.size());
    for_each_block(x.size(), BLOCK, [&](Index start, Index end) {
        function(x.data() + start, end - start, y.data() + start);
    });
    return y;
}

Array<double> each_positive(Function function, Span<const double> x) {
    bool ok = true;
    for (const double value : x) ok &= (value > 0) & (value <= std::numeric_limits<double>::max());
    if (!ok) throw std::invalid_argument("the logarithm of a number that is not positive and finite");
    return each(function, x);
}

}  // namespace

DIRECTRANK_KERNELS(elementary) {
    m.def("exp", [](Span<const double> x) { return each(elementary::exponentials, x); }, released);
    m.def("exp2", [](Span<const double> x) { return each(elementary::powers_of_2, x); }, released);
    m.def("log", [](Span<const double> x) { return each_positive(elementary::logarithms, x); }, released);
    m.def("log2", [](Span<const double> x) { return each_positive(elementary::binary_logarithms, x); }, released);
    m.def(
        "scaled_normal_tail",
        [](Span<const double> u) {
            Array<double> y(u.size());
            for (Index i = 0; i < u.size(); ++i) y[i] = scaled_normal_tail(u[i]);
            return y;
        },
        released);
    m.def(
        "log_of_ratio",
        [](Span<const double> a, Span<const double> b) {
            check_length(a.size(), {b.size()});
            Array<double> y(a.size());
            for (Index i = 0; i < a.size(); ++i) {
                if (!(b[i] > 0 && a[i] >= b[i])) throw std::invalid_argument("a ratio that is below 1, or none");
                y[i] = log_of_ratio(a[i], b[i]);
            }
            return y;
        },
        released);
}

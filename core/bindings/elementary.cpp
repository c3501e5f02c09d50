#include "elementary.hpp"

#include <limits>

#include "bindings/kernels.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(elementary) {
    const auto each = [](auto function) {
        return [function](Span<const double> x) {
            Array<double> y(x.size());
            for (Index i = 0; i < x.size(); ++i) y[i] = function(x[i]);
            return y;
        };
    };
    const auto each_positive = [](auto function) {
        return [function](Span<const double> x) {
            Array<double> y(x.size());
            for (Index i = 0; i < x.size(); ++i) {
                if (!(x[i] > 0 && x[i] <= std::numeric_limits<double>::max()))
                    throw std::invalid_argument("the logarithm of a number that is not positive and finite");
                y[i] = function(x[i]);
            }
            return y;
        };
    };
    m.def("exp", each(exponential), released);
    m.def("exp2", each(power_of_2), released);
    m.def("log", each_positive(logarithm), released);
    m.def("log2", each_positive(binary_logarithm), released);
    m.def("scaled_normal_tail", each(scaled_normal_tail), released);
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

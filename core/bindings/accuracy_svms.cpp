#include "papers/accuracy_svms.hpp"

#include "bindings/kernels.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(accuracy_svms) {
    m.def(
        "balanced",
        [](Span<const double> scores, Span<const bool> relevant, double ratio) {
            check_length(scores.size(), {relevant.size()});
            return accuracy_svms::balanced(scores, relevant, ratio);
        },
        released);
}

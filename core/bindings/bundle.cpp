#include "learners/svm/bundle.hpp"

#include "bindings/kernels.hpp"
#include "learners/svm/dual.hpp"

using namespace directrank;

DIRECTRANK_KERNELS(bundle) {
    m.def(
        "orthogonalise",
        [](Span<double> vector, Grid<const double> basis) {
            check_length(basis.columns(), {vector.size()});
            Array<double> along(basis.rows());
            dual::orthogonalise(vector, basis, along);
            return along;
        },
        released);
    m.def(
        "add_multiple",
        [](Span<double> total, double weight, Span<const double> vector) {
            check_length(total.size(), {vector.size()});
            bundle::add_multiple(total, weight, vector);
        },
        released);
}

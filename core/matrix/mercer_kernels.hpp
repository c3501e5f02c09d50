// Matrices of a Mercer kernel k(x, y) between the rows of two matrices; see matrix/mercer_kernels.py.
//
// Products and squared distances are summed in the order of the features.
#pragma once

#include "matrix/csr.hpp"
#include "span.hpp"

namespace directrank::mercer_kernels {

// X Y^T, and |x - y|^2 of each x and y.
Table<double> products(Grid<const double> X, Grid<const double> Y);
Table<double> distances(Grid<const double> X, Grid<const double> Y);

template <class I, class J>
Table<double> products(const Csr<double, I>& X, const Csr<double, J>& Y);
template <class I, class J>
Table<double> distances(const Csr<double, I>& X, const Csr<double, J>& Y);

// Replaces squared distances by e^(-gamma distance).
void to_rbf(Grid<double> distances, double gamma);

// Replaces products by (gamma product + coef0)^degree.
void to_poly(Grid<double> products, double gamma, double coef0, Index degree);

}  // namespace directrank::mercer_kernels

// Results of kernels that run once for each query.
#pragma once

#include <utility>

#include "bindings/kernels.hpp"

namespace directrank {

// Array of `value(q, start, end)` for each query.
template <class Value>
Array<double> query_values(Span<const Index> offsets, const Value& value) {
    Array<double> values(offsets.size() - 1);
    for_each_query(offsets, [&](Index q, Index start, Index end) { values[q] = value(q, start, end); });
    return values;
}

// Coefficient of each document, and loss of each query.
using Violation = std::pair<Array<double>, Array<double>>;

// Most violated outputs; `loss(q, start, end, coefficients)` writes the coefficients of one query and returns its loss.
template <class Loss>
Violation violation(Span<const Index> offsets, const Loss& loss) {
    Array<double> coefficients(offsets.back());
    auto losses = query_values(offsets, [&](Index q, Index start, Index end) {
        return loss(q, start, end, coefficients.slice(start, end));
    });
    return {std::move(coefficients), std::move(losses)};
}

}  // namespace directrank

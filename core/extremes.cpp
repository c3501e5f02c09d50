#include "extremes.hpp"

#include "clones.hpp"
#include "lanes.hpp"

namespace directrank {
namespace {

DIRECTRANK_CLONES
double highest(const double* values, Index n) {
    return highest_in_lanes(n, [=](Index i) { return values[i]; });
}

DIRECTRANK_CLONES
double lowest(const double* values, Index n) {
    return -highest_in_lanes(n, [=](Index i) { return -values[i]; });
}

}  // namespace

double highest(Span<const double> values) { return highest(values.data(), values.size()); }

double lowest(Span<const double> values) { return lowest(values.data(), values.size()); }

}  // namespace directrank

#include "measures/ranking/partial.hpp"

#include <limits>

#include "clones.hpp"

namespace directrank::partial {
namespace {

constexpr float INFINITE = std::numeric_limits<float>::infinity();

DIRECTRANK_CLONES
void raise_to_highest(const float* rough, Index n, Index n_parts, float* highest) {
    for (Index start = n_parts; start < n; start += n_parts) {
        const Index size = n_parts < n - start ? n_parts : n - start;
        for (Index part = 0; part < size; ++part)
            highest[part] = rough[start + part] > highest[part] ? rough[start + part] : highest[part];
    }
}

DIRECTRANK_CLONES
void count_higher(const float* highest, Index n_parts, std::int32_t* higher) {
    for (Index other = 0; other < n_parts; ++other) {
        const float key = highest[other];
        for (Index part = 0; part < n_parts; ++part) higher[part] += highest[part] < key;
    }
}

// Adds, for each document, how many of four keys are above it and equal to it.
DIRECTRANK_CLONES
void compare_with_four(const float* rough, Index n, const float* keys, std::int32_t* above, std::int32_t* equal) {
    const float a = keys[0], b = keys[1], c = keys[2], d = keys[3];
    for (Index i = 0; i < n; ++i) {
        const float key = rough[i];
        above[i] += (a > key) + (b > key) + (c > key) + (d > key);
        equal[i] += (a == key) + (b == key) + (c == key) + (d == key);
    }
}

}  // namespace

float high_score(Span<const float> rough, Index n_parts, Index depth) {
    Array<float> highest(n_parts);
    std::copy(rough.begin(), rough.begin() + n_parts, highest.begin());
    auto higher = Array<std::int32_t>::zeros(n_parts);
    raise_to_highest(rough.data(), rough.size(), n_parts, highest.data());
    count_higher(highest.data(), n_parts, higher.data());
    float threshold = INFINITE;
    for (Index part = 0; part < n_parts; ++part)
        if (higher[part] < depth && highest[part] < threshold) threshold = highest[part];
    return threshold;
}

Array<Index> ranks_of_few(Span<const double> scores, Span<const bool> few, Index count) {
    const Index n = scores.size();
    Array<float> rough(n), keys(count + 4);
    Index n_keys = 0;
    for (Index i = 0; i < n; ++i) {
        rough[i] = static_cast<float>(scores[i]);
        if (few[i]) keys[n_keys++] = rough[i];
    }
    std::fill(keys.begin() + count, keys.end(), -INFINITE);
    auto above = Array<std::int32_t>::zeros(n), equal = Array<std::int32_t>::zeros(n);
    for (Index at = 0; at <= count; at += 4)  // with a key of -inf at least, which documents without a rank equal
        compare_with_four(rough.data(), n, keys.data() + at, above.data(), equal.data());
    auto ranks = Array<Index>::zeros(count + 1);
    Index n_equal = 0;
    for (Index i = 0; i < n; ++i) ++ranks[above[i]], n_equal += equal[i];
    if (n_equal != count) {  // as each of the few equals itself
        ranks.shrink(0);
        return ranks;
    }
    for (Index p = 1; p < count; ++p) ranks[p] += ranks[p - 1];
    ranks.shrink(count);
    return ranks;
}

}  // namespace directrank::partial

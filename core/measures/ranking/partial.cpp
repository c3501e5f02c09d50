#include "measures/ranking/partial.hpp"

#include <limits>

#include "clones.hpp"

namespace directrank::partial {
namespace {

using sorting::BLOCK;
using sorting::LINE;

constexpr float INFINITE = std::numeric_limits<float>::infinity();
constexpr Index MAX_PARTS = 2 * MAX_DEPTH_OF_TOP;

// The highest score at or above which `depth` of the parts, a multiple of LINE, have their highest one; part p has the
// documents p, p + n_parts, p + 2 n_parts, ...
DIRECTRANK_CLONES
float high_score(const double* __restrict scores, Index n, Index n_parts, Index depth) {
    alignas(64) float highest[MAX_PARTS];
    alignas(64) std::int32_t higher[MAX_PARTS];
    for (Index part = 0; part < n_parts; ++part) highest[part] = static_cast<float>(scores[part]), higher[part] = 0;
    for (Index start = n_parts; start < n; start += n_parts) {
        const Index size = n_parts < n - start ? n_parts : n - start;
        for (Index part = 0; part < size; ++part) {
            const auto score = static_cast<float>(scores[start + part]);
            highest[part] = score > highest[part] ? score : highest[part];
        }
    }
    for (Index other = 0; other < n_parts; other += 4) {
        const float a = highest[other], b = highest[other + 1], c = highest[other + 2], d = highest[other + 3];
        for (Index part = 0; part < n_parts; ++part) {
            const float key = highest[part];
            higher[part] -= (key < a ? -1 : 0) + (key < b ? -1 : 0) + (key < c ? -1 : 0) + (key < d ? -1 : 0);
        }
    }
    float lowest[LINE];
    for (Index lane = 0; lane < LINE; ++lane) lowest[lane] = INFINITE;
    for (Index start = 0; start < n_parts; start += LINE)
        for (Index lane = 0; lane < LINE; ++lane) {
            const float score = higher[start + lane] < depth ? highest[start + lane] : INFINITE;
            lowest[lane] = score < lowest[lane] ? score : lowest[lane];
        }
    float threshold = INFINITE;
    for (Index lane = 0; lane < LINE; ++lane) threshold = lowest[lane] < threshold ? lowest[lane] : threshold;
    return threshold;
}

// Writes the documents at or above a threshold; -1 if there are more than `most`. There must be room for
// `most` and a line more.
DIRECTRANK_CLONES
Index documents_from(const double* __restrict scores, Index n, float threshold, Index most,
                     std::int32_t* __restrict documents) {
    Index found = 0;
    const Index whole = n - n % LINE;
    for (Index start = 0; start < whole; start += LINE) {
        std::int32_t high[LINE], any = 0;
        for (Index lane = 0; lane < LINE; ++lane) {
            high[lane] = static_cast<float>(scores[start + lane]) >= threshold;
            any |= high[lane];
        }
        if (!any) continue;
        for (Index lane = 0; lane < LINE; ++lane) {
            documents[found] = static_cast<std::int32_t>(start + lane);
            found += high[lane];
        }
        if (found > most) return -1;
    }
    for (Index i = whole; i < n; ++i) {
        documents[found] = static_cast<std::int32_t>(i);
        found += static_cast<float>(scores[i]) >= threshold;
    }
    return found > most ? -1 : found;
}

// Adds, for each of the keys, how many scores are above it and how many not below it. The number of keys is even.
DIRECTRANK_CLONES
void count_around(const double* __restrict scores, Index n, const double* __restrict keys, Index n_keys,
                  std::int32_t* __restrict above, std::int32_t* __restrict not_below) {
    alignas(64) float rough[BLOCK];
    for (Index start = 0; start < n; start += BLOCK) {
        const Index size = n - start < BLOCK ? n - start : BLOCK, whole = (size + LINE - 1) / LINE * LINE;
        for (Index i = 0; i < size; ++i) rough[i] = static_cast<float>(scores[start + i]);
        for (Index i = size; i < whole; ++i) rough[i] = -INFINITE;
        for (Index j = 0; j < n_keys; j += 2) {
            const auto a = static_cast<float>(keys[j]), b = static_cast<float>(keys[j + 1]);
            alignas(64) std::int32_t above_a[LINE] = {}, above_b[LINE] = {}, from_a[LINE] = {}, from_b[LINE] = {};
            for (Index i = 0; i < whole; i += LINE)
                for (Index lane = 0; lane < LINE; ++lane) {
                    const float score = rough[i + lane];
                    above_a[lane] -= score > a ? -1 : 0, from_a[lane] -= score >= a ? -1 : 0;
                    above_b[lane] -= score > b ? -1 : 0, from_b[lane] -= score >= b ? -1 : 0;
                }
            for (Index half = LINE / 2; half > 0; half /= 2)
                for (Index lane = 0; lane < half; ++lane) {
                    above_a[lane] += above_a[lane + half], from_a[lane] += from_a[lane + half];
                    above_b[lane] += above_b[lane + half], from_b[lane] += from_b[lane + half];
                }
            above[j] += above_a[0], above[j + 1] += above_b[0];
            not_below[j] += from_a[0], not_below[j + 1] += from_b[0];
        }
    }
}

}  // namespace

// Of 2 depth or more parts of the query, each with a highest score, `depth` parts have one at or above a threshold. A
// document below it has at least `depth` documents above it.
Index find_top(Span<const double> scores, Index depth, Span<std::int32_t> documents) {
    if (depth < 0 || depth > MAX_DEPTH_OF_TOP) return -1;
    Index n_parts = LINE;
    while (n_parts < 2 * depth) n_parts *= 2;
    const Index n = scores.size();
    if (n < 2 * n_parts) return -1;
    const float threshold = high_score(scores.data(), n, n_parts, depth);
    return documents_from(scores.data(), n, threshold, std::min(4 * depth, documents.size() - LINE), documents.data());
}

bool ranks_of_few(Span<const double> scores, Span<const bool> few, Span<Index> ranks) {
    const Index count = ranks.size();
    double keys[MAX_FEW + LINE];
    Index n_keys = 0, i = 0;
    for (; i + LINE <= scores.size() && n_keys <= count; i += LINE)
        for (Index lane = 0; lane < LINE; ++lane) {
            keys[n_keys] = scores[i + lane];
            n_keys += few[i + lane];
        }
    for (; i < scores.size() && n_keys <= count; ++i) {
        keys[n_keys] = scores[i];
        n_keys += few[i];
    }
    if (n_keys != count) return false;
    keys[count] = 0;  // makes their number even
    std::int32_t above[MAX_FEW + 1], not_below[MAX_FEW + 1], keys_above[BLOCK];
    std::fill_n(above, count + 1, 0), std::fill_n(not_below, count + 1, 0);
    count_around(scores.data(), scores.size(), keys, count + count % 2, above, not_below);
    sorting::count_larger(keys, count, keys_above);
    bool alone = true;
    for (Index j = 0; j < count; ++j) {
        alone &= not_below[j] - above[j] == 1 && static_cast<float>(keys[j]) > -INFINITE;
        ranks[keys_above[j]] = above[j] + 1;
    }
    return alone;
}

}  // namespace directrank::partial

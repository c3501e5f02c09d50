// The order in which trec_eval ranks: by descending score, in single precision, then by descending name.
#pragma once

#include <algorithm>

#include "data/formats/trec_pairs.hpp"
#include "radix_sort.hpp"

namespace directrank::trec_order {

using byte_names::Number;
using byte_names::Places;
using radix_sort::Numbered;

// Integers that ascend where scores, in single precision, descend. 0 and -0 get the same.
inline std::uint32_t descending_key(double score) {
    const float single = static_cast<float>(score) + 0.0f;
    std::uint32_t bits;
    std::memcpy(&bits, &single, sizeof bits);
    return bits >> 31 ? bits : 0x7FFFFFFF - bits;
}

// Whether name a is above name b: at the first byte that differs, or by being longer. UTF-8 is ordered as the characters
// are.
inline bool is_above(Text a, Text b) {
    const Index shared = std::min(a.size(), b.size());
    const int difference = shared == 0 ? 0 : std::memcmp(a.data(), b.data(), static_cast<std::size_t>(shared));
    return difference != 0 ? difference > 0 : a.size() > b.size();
}

// Sorts rows of equal score by descending name; rows of the same name stay in order.
inline void sort_by_name(const Places& names, Span<Number> rows) {
    std::sort(rows.begin(), rows.end(), [&](Number a, Number b) {
        const Text name_a = names[a], name_b = names[b];
        return is_above(name_a, name_b) || (a < b && !is_above(name_b, name_a));
    });
}

// The rows of one query, each below its key, by ascending key and row.
inline Array<Numbered> sorted_by_key(Span<const double> scores, Span<const Number> rows) {
    constexpr Index MAX_COMPARED = 128;  // more are sorted by digits
    if (rows.size() > MAX_COMPARED) {
        Array<Index> order(rows.size());
        std::copy(rows.begin(), rows.end(), order.begin());
        return radix_sort::sort_by_digits(order, 3, [&](Index row) { return descending_key(scores[row]); });
    }
    Array<Numbered> sorted(rows.size());
    for (Index i = 0; i < rows.size(); ++i)
        sorted[i] = static_cast<Numbered>(descending_key(scores[rows[i]])) << 32 | static_cast<Numbered>(rows[i]);
    std::sort(sorted.begin(), sorted.end());
    return sorted;
}

// Sorts the rows of one query, which ascend.
inline void sort_query(Span<const double> scores, const Places& names, Span<Number> rows) {
    const Index n = rows.size();
    const auto sorted = sorted_by_key(scores, rows);
    for (Index start = 0, end; start < n; start = end) {
        for (end = start; end < n && radix_sort::integer(sorted[end]) == radix_sort::integer(sorted[start]); ++end)
            rows[end] = static_cast<Number>(radix_sort::number(sorted[end]));
        if (end > start + 1) sort_by_name(names, rows.slice(start, end));
    }
}

// The rows of each query in turn, in trec_eval's order; rows of the same score and name stay in order.
template <class Query>
Array<Number> order(Span<const double> scores, const Places& names, Span<const Query> query, Index n_queries) {
    auto grouped = trec_pairs::group(query, n_queries);
    for_each_query(grouped.offsets,
                   [&](Index, Index start, Index end) { sort_query(scores, names, grouped.rows.slice(start, end)); });
    return std::move(grouped.rows);
}

}  // namespace directrank::trec_order

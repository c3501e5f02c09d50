// trec_eval's ranking order: by descending score, in single precision, then by descending name.
#pragma once

#include <algorithm>

#include "data/formats/trec/joined_pairs.hpp"
#include "radix_sort.hpp"

namespace directrank::ranking_order {

using byte_strings::Code;
using byte_strings::ByteStrings;
using radix_sort::Numbered;

// Integer key that ascends as scores in single precision descend. 0 and -0 have the same key.
inline std::uint32_t descending_key(double score) {
    const float single = static_cast<float>(score) + 0.0f;
    std::uint32_t bits;
    std::memcpy(&bits, &single, sizeof bits);
    return bits >> 31 ? bits : 0x7FFFFFFF - bits;
}

// Stable sort of rows of equal score by descending name.
inline void sort_by_name(const ByteStrings& names, Span<Code> rows) {
    std::sort(rows.begin(), rows.end(), [&](Code a, Code b) {
        const Text name_a = names[a], name_b = names[b];
        return byte_strings::is_below(name_b, name_a) || (a < b && !byte_strings::is_below(name_a, name_b));
    });
}

// Rows of one query, with their keys in the upper half, by ascending key and row.
inline Array<Numbered> sorted_by_key(Span<const double> scores, Span<const Code> rows) {
    constexpr Index MAX_COMPARED = 128;  // more rows are radix sorted
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

// Sorts the ascending rows of one query.
inline void sort_query(Span<const double> scores, const ByteStrings& names, Span<Code> rows) {
    const Index n = rows.size();
    const auto sorted = sorted_by_key(scores, rows);
    for (Index start = 0, end; start < n; start = end) {
        for (end = start; end < n && radix_sort::integer(sorted[end]) == radix_sort::integer(sorted[start]); ++end)
            rows[end] = static_cast<Code>(radix_sort::number(sorted[end]));
        if (end > start + 1) sort_by_name(names, rows.slice(start, end));
    }
}

// Rows grouped by query, in trec_eval's order; the sort is stable.
template <class Query>
Array<Code> order(Span<const double> scores, const ByteStrings& names, Span<const Query> query, Index n_queries) {
    auto grouped = joined_pairs::group(query, n_queries);
    for_each_query(grouped.offsets,
                   [&](Index, Index start, Index end) { sort_query(scores, names, grouped.rows.slice(start, end)); });
    return std::move(grouped.rows);
}

}  // namespace directrank::ranking_order

// Joins of pairs of query and document of several sources.
#pragma once

#include <limits>
#include <mutex>

#include "data/parsing/byte_strings.hpp"
#include "for_each_query.hpp"

namespace directrank::joined_pairs {

using byte_strings::Code;
using byte_strings::ByteStrings;
using byte_strings::Pool;

// Rows grouped by query: query q has rows[offsets[q]:offsets[q + 1]], in order.
struct Grouped {
    Array<Index> offsets;
    Array<Code> rows;
};

// Groups the rows of queries below `n_queries`. Adjacent rows are mostly of one query.
template <class Query>
Grouped group(Span<const Query> query, Index n_queries) {
    byte_strings::check_count(query.size()), byte_strings::check_count(n_queries);
    const auto for_each_run = [&](const auto& work) {
        for (Index start = 0, end; start < query.size(); start = end) {
            for (end = start + 1; end < query.size() && query[end] == query[start];) ++end;
            if (query[start] < n_queries) work(query[start], start, end);
        }
    };
    auto next = Array<Index>::zeros(n_queries + 1);
    for_each_run([&](Index q, Index start, Index end) { next[q + 1] += end - start; });
    for (Index q = 0; q < n_queries; ++q) next[q + 1] += next[q];
    Grouped grouped{Array<Index>(n_queries + 1), Array<Code>(next[n_queries])};
    std::copy(next.begin(), next.end(), grouped.offsets.begin());
    for_each_run([&](Index q, Index start, Index end) {
        for (Index row = start; row < end; ++row) grouped.rows[next[q]++] = static_cast<Code>(row);
    });
    return grouped;
}

// Concatenated documents of several sources.
class Sources {
  public:
    explicit Sources(const std::vector<ByteStrings>& documents) : documents_(documents), bounds_(size() + 1) {
        bounds_[0] = 0;
        for (Index i = 0; i < size(); ++i) bounds_[i + 1] = bounds_[i] + documents_[static_cast<std::size_t>(i)].size();
    }
    Index size() const { return static_cast<Index>(documents_.size()); }
    // Source i has rows [start(i), start(i + 1)).
    Index start(Index source) const { return bounds_[source]; }
    Text name(Index source, Index row) const { return documents_[static_cast<std::size_t>(source)][row - start(source)]; }
    const Byte* text_end(Index source) const { return documents_[static_cast<std::size_t>(source)].text.end(); }

  private:
    const std::vector<ByteStrings>& documents_;
    Array<Index> bounds_;
};

// A row for each distinct pair, by query and first appearance of the document.
//
// `values` has a row for each source, NaN where it lacks the pair; `repeated` has the first row of each source whose pair is
// repeated, or -1.
struct Joined {
    Array<Index> offsets;
    Table<double> values;
    Pool documents;
    Array<Index> repeated;
};

// Distinct documents of one query.
class Documents {
  public:
    // Codes the documents of a query's rows by first appearance; -1 for documents that are only in the first source, unless
    // `keep_first`.
    void number(const Sources& sources, Span<const Code> rows, bool keep_first, std::uint64_t key, Span<Code> numbers,
                Span<Index> repeated) {
        table_.reset(rows.size());
        distinct_.clear();
        Index source = 0;
        for (Index i = 0; i < rows.size(); ++i) {
            const Index row = rows[i];
            while (row >= sources.start(source + 1)) ++source;
            const Text name = sources.name(source, row);
            const auto next = static_cast<Code>(distinct_.size());
            const std::uint64_t hash = byte_strings::hash(name, sources.text_end(source), key);
            const Code number = table_.find_or_add(
                hash, next, [&](Code known) { return lines::are_equal(name, at(known).name); });
            numbers[i] = number;
            if (number == next) {
                distinct_.push_back({name, row, next});
                continue;
            }
            const Index before = at(number).row - sources.start(source);
            if (before >= 0 && (repeated[source] < 0 || before < repeated[source])) repeated[source] = before;
            at(number).row = row;
        }
        keep(keep_first ? 0 : sources.start(1), numbers);
    }

    Index n_names = 0, n_bytes = 0;

  private:
    struct Document {
        Text name;
        Index row;  // last row so far
        Code kept_as;
    };
    Document& at(Code number) { return distinct_[static_cast<std::size_t>(number)]; }

    // Keeps documents with a row from `first_row` on, and renumbers them.
    void keep(Index first_row, Span<Code> numbers) {
        n_names = n_bytes = 0;
        for (Document& document : distinct_) {
            const bool is_kept = document.row >= first_row;
            document.kept_as = is_kept ? static_cast<Code>(n_names++) : -1;
            n_bytes += is_kept ? document.name.size() : 0;
        }
        if (n_names < static_cast<Index>(distinct_.size()))
            for (Code& number : numbers) number = at(number).kept_as;
    }

    byte_strings::HashTable table_;
    std::vector<Document> distinct_;
};

// Joins the sources by pair, for queries below `n_queries`; `values` has a value for each row of all sources.
//
// Documents are compared within a query only, which fits into the cache.
inline Joined join(Span<const Code> query, const std::vector<ByteStrings>& documents, Span<const double> values,
                   Index n_queries, bool keep_first, std::uint64_t key) {
    const Sources sources(documents);
    const Grouped grouped = group(query, n_queries);
    Array<Code> numbers(grouped.rows.size());
    Array<Index> offsets(n_queries + 1), first_byte(n_queries + 1);
    Array<Index> repeated(sources.size(), -1);
    std::mutex repeating;
    for_each_query_range(grouped.offsets, [&](Index first, Index last) {
        Documents distinct;
        Array<Index> mine(sources.size(), -1);
        for (Index q = first; q < last; ++q) {
            const Index start = grouped.offsets[q], end = grouped.offsets[q + 1];
            distinct.number(sources, grouped.rows.slice(start, end), keep_first, key, numbers.slice(start, end), mine);
            offsets[q + 1] = distinct.n_names, first_byte[q + 1] = distinct.n_bytes;
        }
        const std::lock_guard lock(repeating);
        for (Index i = 0; i < sources.size(); ++i)
            if (mine[i] >= 0 && (repeated[i] < 0 || mine[i] < repeated[i])) repeated[i] = mine[i];
    });
    offsets[0] = first_byte[0] = 0;
    for (Index q = 0; q < n_queries; ++q) offsets[q + 1] += offsets[q], first_byte[q + 1] += first_byte[q];

    const Index n_pairs = offsets[n_queries];
    Joined joined{std::move(offsets), Table<double>(sources.size(), n_pairs), Pool(first_byte[n_queries], n_pairs),
                  std::move(repeated)};
    for_each_query(grouped.offsets, [&](Index q, Index start, Index end) {
        const Index base = joined.offsets[q];
        for (Index i = 0; i < sources.size(); ++i)
            std::fill(joined.values[i].begin() + base, joined.values[i].begin() + joined.offsets[q + 1],
                      std::numeric_limits<double>::quiet_NaN());
        Index source = 0, byte = first_byte[q];
        Code next = 0;
        for (Index i = start; i < end; ++i) {
            const Index row = grouped.rows[i];
            while (row >= sources.start(source + 1)) ++source;
            if (numbers[i] < 0) continue;
            joined.values(source, base + numbers[i]) = values[row];
            if (numbers[i] != next) continue;
            const Text name = sources.name(source, row);
            joined.documents.put(base + next++, byte, name);
            byte += name.size();
        }
    });
    return joined;
}

}  // namespace directrank::joined_pairs

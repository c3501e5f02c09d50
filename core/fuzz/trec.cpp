// Runs, qrels and scores: for any bytes, nothing is read out of bounds, and columns, numbers, names, joins and trec_eval's
// order agree with simple reference code.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "data/parsing/text_table.hpp"
#include "data/formats/trec/ranking_order.hpp"
#include "data/formats/trec/joined_pairs.hpp"
#include "fuzz/require.hpp"

using namespace directrank;

namespace {

constexpr Index N_COLUMNS = 3;  // query, document, score

std::string string_of(Text text) { return {text.begin(), text.end()}; }

std::vector<std::vector<std::string>> split_plainly(Text text) {
    std::vector<std::vector<std::string>> rows(1);
    std::string word;
    const auto end_word = [&] {
        if (!word.empty()) rows.back().push_back(word);
        word.clear();
    };
    for (const Byte c : text) {
        if (!ascii::is_blank(c)) {
            word += static_cast<char>(c);
            continue;
        }
        end_word();
        if (c == '\n' && !rows.back().empty()) rows.emplace_back();
    }
    end_word();
    if (rows.back().empty()) rows.pop_back();
    return rows;
}

lines::ByteStrings column(Text text, const text_table::Columns& columns, Index i) {
    return {text, columns.starts[i].slice(0, columns.n_rows), columns.lengths[i].slice(0, columns.n_rows)};
}

// Whether all rows have at least N_COLUMNS columns.
bool check_columns(Text text, const text_table::Columns& columns, Span<const bool> kept) {
    const auto rows = split_plainly(text);
    bool are_enough = true;
    REQUIRE(columns.n_rows == static_cast<Index>(rows.size()));
    for (Index row = 0; row < columns.n_rows; ++row) {
        const auto& words = rows[static_cast<std::size_t>(row)];
        const auto n = static_cast<Index>(words.size());
        REQUIRE(columns.counts[row] == n);
        are_enough &= n >= N_COLUMNS;
        for (Index i = 0; i < std::min(n, N_COLUMNS); ++i)
            if (kept[i] || row == 0)
                REQUIRE(string_of(column(text, columns, i)[row]) == words[static_cast<std::size_t>(i)]);
    }
    return are_enough;
}

// A source of pairs, with the codes of its queries.
struct Source {
    Span<const byte_strings::Code> query;
    lines::ByteStrings documents;
};

void check_join(const std::vector<Source>& sources, Span<const double> values, Index n_queries, bool keep_first,
                std::uint64_t key) {
    std::vector<lines::ByteStrings> documents;
    std::vector<byte_strings::Code> query;
    std::map<std::pair<Index, std::string>, std::vector<double>> said;
    std::vector<Index> repeated(sources.size(), -1);
    Index at = 0;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        documents.push_back(sources[i].documents);
        std::map<std::pair<Index, std::string>, Index> rows;
        for (Index row = 0; row < sources[i].query.size(); ++row, ++at) {
            query.push_back(sources[i].query[row]);
            if (query.back() >= n_queries) continue;
            const std::pair pair(Index{query.back()}, string_of(sources[i].documents[row]));
            said.emplace(pair, std::vector<double>(sources.size(), NAN)).first->second[i] = values[at];
            const auto known = rows.emplace(pair, row).first->second;
            if (known < row && (repeated[i] < 0 || known < repeated[i])) repeated[i] = known;
        }
    }
    const auto joined = joined_pairs::join({query.data(), static_cast<Index>(query.size())}, documents, values, n_queries,
                                         keep_first, key);
    Index n_kept = 0;
    for (const auto& [pair, row] : said)
        n_kept += keep_first || std::any_of(row.begin() + 1, row.end(), [](double value) { return !std::isnan(value); });
    REQUIRE(joined.offsets[n_queries] == n_kept);
    for (std::size_t i = 0; i < sources.size(); ++i) REQUIRE(joined.repeated[static_cast<Index>(i)] == repeated[i]);
    const lines::ByteStrings found{joined.documents.text, joined.documents.starts, joined.documents.lengths};
    for (Index q = 0; q < n_queries; ++q)
        for (Index row = joined.offsets[q]; row < joined.offsets[q + 1]; ++row) {
            const auto& expected = said.at({q, string_of(found[row])});
            for (std::size_t i = 0; i < sources.size(); ++i)
                REQUIRE(fuzz::are_same(joined.values[static_cast<Index>(i)][row], expected[i]));
        }
}

void check_order(Span<const double> scores, const lines::ByteStrings& names, Span<const byte_strings::Code> query,
                 Index n_queries) {
    const auto order = ranking_order::order(scores, names, query, n_queries);
    std::vector<Index> expected(static_cast<std::size_t>(scores.size()));
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<Index>(i);
    std::stable_sort(expected.begin(), expected.end(), [&](Index a, Index b) {
        if (query[a] != query[b]) return query[a] < query[b];
        const auto score_a = static_cast<float>(scores[a]), score_b = static_cast<float>(scores[b]);
        return score_a != score_b ? score_a > score_b : string_of(names[a]) > string_of(names[b]);
    });
    REQUIRE(std::equal(expected.begin(), expected.end(), order.begin(), order.end()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const int options = input.option();
    const Index piece_size = 1 + input.option();
    const auto key = static_cast<std::uint64_t>(input.option()) * 0x0123456789ABCDEF % byte_strings::PRIME;
    const Text text = input.text();

    const Array<bool> all(N_COLUMNS, true);
    Array<bool> some(N_COLUMNS, true);
    some[options % N_COLUMNS] = false;
    const auto columns = text_table::split(text, all, text.size() + 1), pieces = text_table::split(text, some, piece_size);
    REQUIRE(columns.is_ascii == std::all_of(text.begin(), text.end(), [](Byte c) { return c < 128; }));
    REQUIRE(pieces.is_ascii == columns.is_ascii);
    check_columns(text, pieces, some);
    if (!check_columns(text, columns, all)) return 0;

    const auto queries = column(text, columns, 0), documents = column(text, columns, 1), words = column(text, columns, 2);
    auto numbers = text_table::numbers(words);
    for (Index row = 0; row < columns.n_rows; ++row) {
        double value = 0;
        const bool is_number = decimal::read(words[row].begin(), words[row].end(), value) == words[row].end();
        if (numbers.wrong < 0 || row < numbers.wrong)
            REQUIRE(is_number && std::isfinite(value) && numbers.values[row] == value);
        if (row == numbers.wrong) REQUIRE(!is_number || !std::isfinite(value));
        if (!std::isfinite(numbers.values[row])) numbers.values[row] = static_cast<double>(row % 3);
    }

    const auto factorized = byte_strings::factorize({queries, documents}, key);
    std::map<std::string, Index> known;
    for (Index row = 0; row < 2 * columns.n_rows; ++row) {
        const Text name = row < columns.n_rows ? queries[row] : documents[row - columns.n_rows];
        REQUIRE(known.emplace(string_of(name), static_cast<Index>(known.size())).first->second == factorized.codes[row]);
    }
    const Index n_names = factorized.distinct.starts.size(), half = columns.n_rows / 2;
    REQUIRE(n_names == static_cast<Index>(known.size()));
    const auto query = factorized.codes.slice(0, columns.n_rows);
    const auto part = [&](Index start, Index end) {
        return Source{query.slice(start, end),
                      {text, documents.starts.slice(start, end), documents.lengths.slice(start, end)}};
    };
    const Index n_queries = options & 64 ? n_names / 2 : n_names;
    check_join({part(0, half), part(half, columns.n_rows)}, numbers.values, n_queries, options & 128, key);
    check_order(numbers.values, documents, query, n_names);
    return 0;
}

// LETOR text: for any bytes, nothing is read or written out of bounds; dense and sparse, one piece and many, give
// the same; and data that was read can be written and read again.
#include "data/formats/letor/reader.hpp"

#include <cstdint>
#include <string>

#include "data/formats/letor/writer.hpp"
#include "fuzz/require.hpp"

using namespace directrank;

namespace {

struct File {
    letor_reader::Fault fault;
    letor_reader::Heads heads;
    Array<double> values;
    Array<std::int32_t> indices;
    Array<Index> ends;
};

File read_sparse(Text text, Index piece_size, Index width, bool whole) {
    const auto bounds = lines::pieces(text, piece_size);
    const Index n = bounds.size() - 1;
    Array<Index> rows(n), entries(n);
    for (Index piece = 0; piece < n; ++piece) {
        const auto counts = letor_reader::count_piece(text, bounds[piece], bounds[piece + 1]);
        rows[piece] = counts.rows, entries[piece] = counts.entries;
    }
    const auto first_row = letor_reader::starts(rows), first_entry = letor_reader::starts(entries);
    const Index n_rows = first_row[n], n_entries = first_entry[n];
    File file{{}, letor_reader::Heads(n_rows), Array<double>(n_entries), Array<std::int32_t>(n_entries),
              Array<Index>(n_rows)};
    file.fault = letor_reader::read(text, bounds, first_row, width, whole, file.heads, [&](Index piece) {
        return letor_reader::SparseRows<double>{file.values, file.indices, file.ends, first_entry[piece],
                                                first_entry[piece + 1]};
    });
    return file;
}

bool are_same(const letor_reader::Fault& a, const letor_reader::Fault& b) { return a.error == b.error && a.at == b.at; }

// Features only: positions of names differ between the original text and the rewritten one.
void require_same_features(const File& a, const File& b) {
    REQUIRE(a.values.size() == b.values.size() && a.ends.size() == b.ends.size());
    for (Index i = 0; i < a.values.size(); ++i)
        REQUIRE(fuzz::are_same(a.values[i], b.values[i]) && a.indices[i] == b.indices[i]);
    for (Index row = 0; row < a.ends.size(); ++row)
        REQUIRE(a.ends[row] == b.ends[row] && fuzz::are_same(a.heads.y[row], b.heads.y[row]) &&
                a.heads.qid[row] == b.heads.qid[row] &&
                a.heads.qid_is_integer[row] == b.heads.qid_is_integer[row]);
}

void require_same_places(const letor_reader::Heads& a, const letor_reader::Heads& b) {
    for (Index row = 0; row < a.y.size(); ++row)
        REQUIRE(a.qid_start[row] == b.qid_start[row] && a.qid_length[row] == b.qid_length[row] &&
                a.docno_start[row] == b.docno_start[row] && a.docno_length[row] == b.docno_length[row]);
}

template <class Float>
void require_same_table(Text text, const File& file, Index n_columns, Index width, bool whole) {
    const Array<Index> bounds = lines::pieces(text, text.size() + 1), rows(1, file.ends.size());
    letor_reader::Heads heads(file.ends.size());
    auto table = Table<Float>::zeros(file.ends.size(), n_columns);
    const auto fault = letor_reader::read(text, bounds, letor_reader::starts(rows), width, whole, heads,
                                   [&](Index) { return letor_reader::DenseRows<Float>(table.grid()); });
    REQUIRE(are_same(fault, file.fault));
    if (fault.error != letor_reader::NOTHING) return;
    for (Index row = 0, entry = 0; row < table.rows(); ++row)
        for (; entry < file.ends[row]; ++entry)
            if (file.indices[entry] < n_columns)
                REQUIRE(fuzz::are_same(table(row, file.indices[entry]), static_cast<Float>(file.values[entry])));
}

void require_the_same_again(Text text, const File& file, bool whole) {
    const letor_reader::Heads& heads = file.heads;
    const lines::ByteStrings queries{text, heads.qid_start, heads.qid_length};
    const lines::ByteStrings documents{text, heads.docno_start, heads.docno_length};
    const auto before = letor_writer::heads(heads.y, [&](Index row, std::string& head) {
        if (heads.qid_length[row] > 0) head += " qid:" + letor_writer::string_of(queries[row]);
    });
    const bool are_cut = whole || letor_writer::are_cut(documents);
    const auto after = letor_writer::comments(documents, are_cut);
    if (after.wrong >= 0) return;
    Array<Index> starts(file.ends.size() + 1, 0);
    std::copy(file.ends.begin(), file.ends.end(), starts.begin() + 1);
    const letor_writer::SparseRows<double, std::int32_t> rows{file.values, file.indices, starts};
    std::string written;
    for (const auto& part : letor_writer::write({before.text, before.starts, before.lengths}, rows,
                                                 {after.texts.text, after.texts.starts, after.texts.lengths}))
        written.append(part.begin(), part.end());
    const Text again(reinterpret_cast<const Byte*>(written.data()), static_cast<Index>(written.size()));
    const File copy = read_sparse(again, again.size() + 1, letor_reader::HIGHEST_INDEX, are_cut);
    REQUIRE(copy.fault.error == letor_reader::NOTHING);
    require_same_features(file, copy);
    const lines::ByteStrings copied{again, copy.heads.docno_start, copy.heads.docno_length};
    for (Index row = 0; row < documents.size(); ++row) REQUIRE(lines::are_equal(documents[row], copied[row]));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const int options = input.option();
    const bool whole = options & 1;
    const Index width = options & 2 ? 1 + input.option() : letor_reader::HIGHEST_INDEX, piece_size = 1 + input.option();
    const Text text = input.text();
    const File file = read_sparse(text, text.size() + 1, width, whole), pieces = read_sparse(text, piece_size, width, whole);
    REQUIRE(are_same(file.fault, pieces.fault));
    require_same_table<double>(text, file, 1 + options / 4, width, whole);
    require_same_table<float>(text, file, 1 + options / 4, width, whole);
    if (file.fault.error != letor_reader::NOTHING) {
        REQUIRE(file.fault.at >= 0 && file.fault.at <= text.size());
        return 0;
    }
    require_same_features(file, pieces);
    require_same_places(file.heads, pieces.heads);
    const lines::ByteStrings documents{text, file.heads.docno_start, file.heads.docno_length};
    for (Index row = 0; row < documents.size(); ++row)
        REQUIRE(letor_reader::uncut_length(documents, row) >= documents.lengths[row]);
    require_the_same_again(text, file, whole);
    return 0;
}

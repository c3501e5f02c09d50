#include "data/formats/letor/reader.hpp"

#include "bindings/kernels.hpp"
#include "bindings/byte_strings.hpp"

using namespace directrank;

namespace {

// Offsets of each piece's items, which must add up to `total`.
Array<Index> starts_of(Text text, Span<const Index> bounds, Span<const Index> counts, Index total) {
    check_offsets(bounds, text.size());
    check_length(bounds.size() - 1, {counts.size()});
    check_range(counts, 0, text.size() + 1);
    auto starts = letor_reader::starts(counts);
    check_length(starts[counts.size()], {total});
    return starts;
}

// Error and position of the first malformed line, and all columns but the features.
auto to_python(const letor_reader::Fault& fault, letor_reader::Heads&& heads) {
    return std::pair(std::pair(static_cast<Index>(fault.error), fault.at),
                     std::tuple(std::move(heads.y), std::move(heads.qid), std::move(heads.qid_is_integer),
                                std::move(heads.qid_start), std::move(heads.qid_length), std::move(heads.docno_start),
                                std::move(heads.docno_length)));
}

template <class Float>
auto read_dense(Text text, Span<const Index> bounds, Span<const Index> n_rows, Index width, bool whole, Grid<Float> X) {
    const auto first_row = starts_of(text, bounds, n_rows, X.rows());
    letor_reader::Heads heads(X.rows());
    const auto fault =
        letor_reader::read(text, bounds, first_row, width, whole, heads,
                           [&](Index) { return letor_reader::DenseRows<Float>(X); });
    return to_python(fault, std::move(heads));
}

template <class Float>
auto read_sparse(Text text, Span<const Index> bounds, Span<const Index> n_rows, Span<const Index> n_entries, Index width,
                 bool whole, Span<Float> values, Span<std::int32_t> indices, Span<Index> ends) {
    const auto first_row = starts_of(text, bounds, n_rows, ends.size());
    const auto first_entry = starts_of(text, bounds, n_entries, values.size());
    check_length(values.size(), {indices.size()});
    letor_reader::Heads heads(ends.size());
    const auto fault = letor_reader::read(text, bounds, first_row, width, whole, heads, [&](Index piece) {
        return letor_reader::SparseRows<Float>{values, indices, ends, first_entry[piece], first_entry[piece + 1]};
    });
    return to_python(fault, std::move(heads));
}

}  // namespace

DIRECTRANK_KERNELS(letor_reader) {
    m.attr("HIGHEST_INDEX") = letor_reader::HIGHEST_INDEX;
    m.attr("BAD_GRADE") = static_cast<Index>(letor_reader::BAD_GRADE);
    m.attr("GRADE_RANGE") = static_cast<Index>(letor_reader::GRADE_RANGE);
    m.attr("EMPTY_QID") = static_cast<Index>(letor_reader::EMPTY_QID);
    m.attr("NOT_A_PAIR") = static_cast<Index>(letor_reader::NOT_A_PAIR);
    m.attr("BAD_INDEX") = static_cast<Index>(letor_reader::BAD_INDEX);
    m.attr("INDEX_ORDER") = static_cast<Index>(letor_reader::INDEX_ORDER);
    m.attr("BAD_VALUE") = static_cast<Index>(letor_reader::BAD_VALUE);
    m.attr("BEYOND_WIDTH") = static_cast<Index>(letor_reader::BEYOND_WIDTH);
    m.def(
        "count",
        [](Text text, Span<const Index> bounds) {
            check_offsets(bounds, text.size());
            const Index n = bounds.size() - 1;
            Array<Index> rows(n), entries(n), highest(n);
            parallel(n, [&](Index piece) {
                const auto counts = letor_reader::count_piece(text, bounds[piece], bounds[piece + 1]);
                rows[piece] = counts.rows, entries[piece] = counts.entries, highest[piece] = counts.highest;
            });
            return std::tuple(std::move(rows), std::move(entries), std::move(highest));
        },
        released);
    m.def("read_dense", &read_dense<double>, released);
    m.def("read_dense", &read_dense<float>, released);
    m.def("read_sparse", &read_sparse<double>, released);
    m.def("read_sparse", &read_sparse<float>, released);
    m.def(
        "uncut_lengths",
        [](Text text, Span<const Index> starts, Span<const Index> lengths) {
            const auto names = as_byte_strings(text, starts, lengths);
            Array<Index> uncut(names.size());
            for (Index row = 0; row < names.size(); ++row) uncut[row] = letor_reader::uncut_length(names, row);
            return uncut;
        },
        released);
}

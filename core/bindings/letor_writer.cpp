#include "data/formats/letor/writer.hpp"

#include "bindings/kernels.hpp"
#include "bindings/byte_strings.hpp"

using namespace directrank;

namespace {

using Parts = std::vector<Array<Byte>>;

template <class Float>
Parts write_dense(const ByteStringsArgument& heads, Grid<const Float> X, const ByteStringsArgument& tails) {
    const auto before = as_byte_strings(heads), after = as_byte_strings(tails);
    check_length(X.rows(), {before.size(), after.size()});
    return letor_writer::write(before, letor_writer::DenseRows<Float>{X}, after);
}

template <class Float, class Column>
Parts write_sparse(const ByteStringsArgument& heads, Span<const Float> values, Span<const Column> indices,
                   Span<const Index> starts, const ByteStringsArgument& tails) {
    const auto before = as_byte_strings(heads), after = as_byte_strings(tails);
    check_offsets(starts, values.size());
    check_length(values.size(), {indices.size()});
    check_range(indices, 0, std::numeric_limits<Index>::max());
    check_length(starts.size() - 1, {before.size(), after.size()});
    return letor_writer::write(before, letor_writer::SparseRows<Float, Column>{values, indices, starts}, after);
}

}  // namespace

DIRECTRANK_KERNELS(letor_writer) {
    m.def(
        "heads",
        [](Span<const double> y) { return to_python(letor_writer::heads(y, [](Index, std::string&) {})); },
        released);
    m.def(
        "heads",
        [](Span<const double> y, Span<const Index> qid) {
            check_length(y.size(), {qid.size()});
            return to_python(letor_writer::heads(y, [&](Index row, std::string& text) {
                char number[decimal::MAX_INTEGER_SIZE];
                text.append(" qid:").append(number, decimal::write_integer(qid[row], number));
            }));
        },
        released);
    m.def(
        "heads",
        [](Span<const double> y, const ByteStringsArgument& qid) {
            const auto names = as_byte_strings(qid);
            check_length(y.size(), {names.size()});
            return to_python(letor_writer::heads(y, [&](Index row, std::string& text) {
                const Text name = names[row];
                text.append(" qid:").append(name.begin(), name.end());
            }));
        },
        released);
    m.def(
        "are_cut", [](const ByteStringsArgument& names) { return letor_writer::are_cut(as_byte_strings(names)); }, released);
    m.def(
        "comments",
        [](const ByteStringsArgument& names, bool whole) {
            auto comments = letor_writer::comments(as_byte_strings(names), whole);
            return std::pair(to_python(std::move(comments.texts)), comments.wrong);
        },
        released);
    m.def("write_dense", &write_dense<double>, released);
    m.def("write_dense", &write_dense<float>, released);
    m.def("write_sparse", &write_sparse<double, std::int32_t>, released);
    m.def("write_sparse", &write_sparse<float, std::int32_t>, released);
    m.def("write_sparse", &write_sparse<double, Index>, released);
    m.def("write_sparse", &write_sparse<float, Index>, released);
}

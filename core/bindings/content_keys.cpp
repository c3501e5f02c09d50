#include "learners/core/content_keys.hpp"

#include "bindings/matrices.hpp"

using namespace directrank;

namespace {

template <class T>
void bind(nb::module_& m) {
    m.def("row_keys", [](Dense<T> X) { return content_keys::row_keys(X); }, released);
    m.def(
        "row_keys",
        [](Span<const T> data, Span<const std::int32_t> indices, Span<const std::int32_t> indptr, Index n_columns) {
            return content_keys::row_keys(csr(data, indices, indptr, n_columns));
        },
        released);
    m.def(
        "row_keys",
        [](Span<const T> data, Span<const std::int64_t> indices, Span<const std::int64_t> indptr, Index n_columns) {
            return content_keys::row_keys(csr(data, indices, indptr, n_columns));
        },
        released);
}

}  // namespace

DIRECTRANK_KERNELS(content_keys) {
    bind<float>(m);
    bind<double>(m);
    m.def(
        "order_within",
        [](Span<const std::uint64_t> keys, Span<const Index> offsets) {
            check_queries(offsets, {keys.size()});
            return content_keys::order_within(keys, offsets);
        },
        released);
    m.def(
        "mixed",
        [](Span<const std::uint64_t> keys) {
            Array<std::uint64_t> mixed(keys.size());
            content_keys::mix_all(keys.data(), keys.size(), mixed.data());
            return mixed;
        },
        released);
}

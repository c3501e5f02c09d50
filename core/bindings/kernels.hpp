// Common parts of the bindings: array arguments and results, checks, and registration with the module.
//
//     DIRECTRANK_KERNELS(average_precision) {
//         m.def("evaluate", [](Span<const double> scores, Span<const Index> offsets) -> Array<double> { ... }, released);
//     }
//
// defines `directrank.core.average_precision.evaluate`. A `Span<const T>` accepts a contiguous one-dimensional NumPy array
// of exactly this type, a `Span<T>` a writable one, a `Grid` a two-dimensional one; anything else is a TypeError. Nothing is
// converted, and nothing copied except unaligned input arrays. A returned `Array` or `Table` becomes a NumPy array.
#pragma once

#include <cstdio>  // nanobind uses it without including it

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "for_each_query.hpp"
#include "span.hpp"

namespace directrank {

namespace nb = nanobind;

// Kernels run with the GIL released.
using released_type = nb::call_guard<nb::gil_scoped_release>;
inline constexpr released_type released{};

// Bindings of all files, which register themselves when the module is loaded.
struct Kernels {
    const char* name;
    void (*bind)(nb::module_&);
    static std::vector<Kernels>& all() {
        static std::vector<Kernels> registered;
        return registered;
    }
    Kernels(const char* name, void (*bind)(nb::module_&)) : name(name), bind(bind) { all().push_back(*this); }
};

#define DIRECTRANK_KERNELS(subject)                                                       \
    static void bind_##subject(::nanobind::module_&);                                     \
    static const ::directrank::Kernels kernels_of_##subject{#subject, &bind_##subject};   \
    static void bind_##subject([[maybe_unused]] ::nanobind::module_& m)

// Checks that arrays have equal length.
inline void check_length(Index expected, std::initializer_list<Index> sizes) {
    for (const Index size : sizes)
        if (size != expected)
            throw std::invalid_argument("an array of length " + std::to_string(size) + " where one of length " +
                                        std::to_string(expected) + " belongs");
}

// Checks that an array is long enough.
inline void check_at_least(Index least, Index size) {
    if (size < least)
        throw std::invalid_argument("an array of length " + std::to_string(size) + " where at least " +
                                    std::to_string(least) + " entries belong");
}

// Checks that every value is at least `low` and below `end`.
template <class T>
void check_range(Span<const T> values, Index low, Index end) {
    if (values.empty()) return;
    if (low >= end) throw std::invalid_argument("an index where there is nothing to index");
    // Bounds in the type of the values, so that comparisons vectorise.
    constexpr Index LEAST = static_cast<Index>(std::numeric_limits<T>::lowest());
    constexpr auto MOST = static_cast<Index>(std::min<std::uint64_t>(std::numeric_limits<T>::max(), INT64_MAX));
    const auto least = static_cast<T>(std::clamp(low, LEAST, MOST)), most = static_cast<T>(std::clamp(end - 1, LEAST, MOST));
    T outside = !values.empty() && (low >= end || low > MOST || end <= LEAST);  // also in their type
    for (const T value : values) outside |= static_cast<T>(value < least) | static_cast<T>(value > most);
    if (outside)
        throw std::invalid_argument("a value outside of " + std::to_string(low) + " to " + std::to_string(end - 1) +
                                    " where it is an index");
}

// Checks counts of documents or pairs, so that arithmetic on them does not overflow.
inline void check_counts(Span<const Index> counts, Index too_many) {
    bool ok = true;
    for (const Index count : counts) ok &= (count >= 0) & (count < too_many);
    if (!ok) throw std::invalid_argument("a number of documents or pairs that is negative or impossible");
}
constexpr Index TOO_MANY_DOCUMENTS = Index{1} << 40, TOO_MANY_PAIRS = Index{1} << 60;

// Checks the width of a smoothing kernel, and the distance beyond which scores are ignored.
inline void check_widths(double sigma, double reach) {
    if (!(sigma > 0 && reach >= 0)) throw std::invalid_argument("a width that is not above 0");
}

// Checks that offsets start at 0, do not descend, and end at `n`.
template <class T>
void check_offsets(Span<const T> offsets, Index n) {
    bool ok = offsets.size() > 0 && offsets[0] == 0 && static_cast<Index>(offsets.back()) == n;
    for (Index i = 1; ok && i < offsets.size(); ++i) ok = offsets[i] >= offsets[i - 1];
    if (!ok) throw std::invalid_argument("offsets that do not ascend from 0 to " + std::to_string(n));
}

// Checks that the arrays of documents have the length that the offsets of the queries give.
inline void check_queries(Span<const Index> offsets, std::initializer_list<Index> sizes) {
    if (offsets.empty()) throw std::invalid_argument("offsets must have one more entry than there are queries");
    check_offsets(offsets, offsets.back());
    check_length(offsets.back(), sizes);
}

// A view that outlives the call, with the array that owns its values.
template <class View>
struct Kept {
    View view;
    nb::object array;
};

// Whether values are aligned for their type; arrays over a buffer or a mapped file may not be.
template <class T>
bool is_aligned(const T* values) {
    return reinterpret_cast<std::uintptr_t>(values) % alignof(T) == 0;
}

// Whether each byte is 0 or 1, as a C++ bool must be; bytes viewed as bool may have other values.
inline bool are_booleans(const bool* values, Index n) {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(values);
    unsigned char bits = 0;
    for (Index i = 0; i < n; ++i) bits |= bytes[i];
    return bits <= 1;
}

}  // namespace directrank

namespace nanobind::detail {

// An aligned copy of an unaligned NumPy array, such as one received over a network; otherwise an invalid handle.
inline object realigned(handle array) noexcept {
    try {
        const object flags = getattr(array, "flags", none());
        if (flags.is_none() || !getattr(flags, "aligned", none()).is(handle(Py_False))) return {};
        return module_::import_("numpy").attr("require")(array, none(), "A");
    } catch (const python_error&) {
        return {};
    }
}

// Accepts an array of exactly the requested type, or an aligned copy if it is only read. `owner` is the accepted array.
template <class Source>
bool take_array(
    Source& source, object& owner, handle array, uint32_t flags, cleanup_list* cleanup, bool is_read_only) noexcept {
    flags &= ~static_cast<uint32_t>(cast_flags::convert);
    owner = borrow(array);
    if (!source.from_python(array, flags, cleanup) || !directrank::is_aligned(source.value.data())) {
        owner = is_read_only ? realigned(array) : object();
        if (!owner.is_valid() || !source.from_python(owner, flags, cleanup)) return false;
    }
    // In a list or an optional argument, views outlive their casters, and perhaps the list.
    if (cleanup) cleanup->append(object(owner).release().ptr());
    return true;
}

template <class T>
struct type_caster<directrank::Span<T>> {
    using Source = make_caster<ndarray<T, ndim<1>, c_contig, device::cpu>>;
    NB_TYPE_CASTER(directrank::Span<T>, Source::Name)
    Source source;
    object owner;
    bool from_python(handle src, uint32_t flags, cleanup_list* cleanup) noexcept {
        if (!take_array(source, owner, src, flags, cleanup, std::is_const_v<T>)) return false;
        value = {source.value.data(), static_cast<directrank::Index>(source.value.size())};
        if constexpr (std::is_same_v<T, const bool>) return directrank::are_booleans(value.data(), value.size());
        return true;
    }
};

template <class T>
struct type_caster<directrank::Grid<T>> {
    using Source = make_caster<ndarray<T, ndim<2>, c_contig, device::cpu>>;
    NB_TYPE_CASTER(directrank::Grid<T>, Source::Name)
    Source source;
    object owner;
    bool from_python(handle src, uint32_t flags, cleanup_list* cleanup) noexcept {
        if (!take_array(source, owner, src, flags, cleanup, std::is_const_v<T>)) return false;
        value = {source.value.data(), static_cast<directrank::Index>(source.value.shape(0)),
                 static_cast<directrank::Index>(source.value.shape(1))};
        return true;
    }
};

template <class View>
struct type_caster<directrank::Kept<View>> {
    using Source = make_caster<View>;
    NB_TYPE_CASTER(directrank::Kept<View>, Source::Name)
    bool from_python(handle src, uint32_t flags, cleanup_list* cleanup) noexcept {
        Source source;
        if (!source.from_python(src, flags, cleanup)) return false;
        value = {source.value, std::move(source.owner)};
        return true;
    }
};

template <class T>
capsule freeing(T* data) {
    return capsule(data, [](void* memory) noexcept { std::free(memory); });
}

template <class T>
struct type_caster<directrank::Array<T>> {
    using Target = ndarray<numpy, T, ndim<1>>;
    NB_TYPE_CASTER(directrank::Array<T>, make_caster<Target>::Name)
    static handle from_cpp(directrank::Array<T>&& array, rv_policy, cleanup_list* cleanup) noexcept {
        const auto size = static_cast<size_t>(array.size());
        T* data = array.release();
        return make_caster<Target>::from_cpp(Target(data, {size}, freeing(data)), rv_policy::reference, cleanup);
    }
};

template <class T>
struct type_caster<directrank::Table<T>> {
    using Target = ndarray<numpy, T, ndim<2>>;
    NB_TYPE_CASTER(directrank::Table<T>, make_caster<Target>::Name)
    static handle from_cpp(directrank::Table<T>&& table, rv_policy, cleanup_list* cleanup) noexcept {
        const auto rows = static_cast<size_t>(table.rows()), columns = static_cast<size_t>(table.columns());
        T* data = table.release();
        return make_caster<Target>::from_cpp(Target(data, {rows, columns}, freeing(data)), rv_policy::reference, cleanup);
    }
};

}  // namespace nanobind::detail

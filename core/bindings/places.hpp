// Names in a text, as Python hands them over: the text, and where each starts and how long it is.
#pragma once

#include <tuple>

#include "bindings/kernels.hpp"
#include "data/bytes/byte_names.hpp"

namespace directrank {

using PlacesInPython = std::tuple<Text, Span<const Index>, Span<const Index>>;
using PoolInPython = std::tuple<Array<Byte>, Array<Index>, Array<Index>>;

inline lines::Places places(Text text, Span<const Index> starts, Span<const Index> lengths) {
    check_length(starts.size(), {lengths.size()});
    return {text, starts, lengths};
}

inline lines::Places places(const PlacesInPython& names) {
    return places(std::get<0>(names), std::get<1>(names), std::get<2>(names));
}

inline std::vector<lines::Places> places(const std::vector<PlacesInPython>& columns) {
    std::vector<lines::Places> found;
    for (const PlacesInPython& names : columns) found.push_back(places(names));
    return found;
}

inline PoolInPython to_python(byte_names::Pool&& pool) {
    return {std::move(pool.text), std::move(pool.starts), std::move(pool.lengths)};
}

}  // namespace directrank

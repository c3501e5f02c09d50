// Conversion of byte strings between Python (a tuple of text, starts and lengths) and C++.
#pragma once

#include <tuple>

#include "bindings/kernels.hpp"
#include "data/parsing/byte_strings.hpp"

namespace directrank {

using ByteStringsArgument = std::tuple<Text, Span<const Index>, Span<const Index>>;
using PoolResult = std::tuple<Array<Byte>, Array<Index>, Array<Index>>;

inline lines::ByteStrings as_byte_strings(Text text, Span<const Index> starts, Span<const Index> lengths) {
    check_length(starts.size(), {lengths.size()});
    return {text, starts, lengths};
}

inline lines::ByteStrings as_byte_strings(const ByteStringsArgument& names) {
    return as_byte_strings(std::get<0>(names), std::get<1>(names), std::get<2>(names));
}

inline std::vector<lines::ByteStrings> as_byte_strings(const std::vector<ByteStringsArgument>& columns) {
    std::vector<lines::ByteStrings> found;
    for (const ByteStringsArgument& names : columns) found.push_back(as_byte_strings(names));
    return found;
}

inline PoolResult to_python(byte_strings::Pool&& pool) {
    return {std::move(pool.text), std::move(pool.starts), std::move(pool.lengths)};
}

}  // namespace directrank

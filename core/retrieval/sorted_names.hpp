// Binary search in many strings that are held in two arrays; see retrieval/names.py.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "span.hpp"

namespace directrank::sorted_names {

// Strings as their bytes, one after another, and the end of each.
struct Names {
    Span<const std::uint8_t> blob;
    Span<const Index> ends;

    // Ends may come from a file, and are too many to be checked for every search.
    std::string_view operator[](Index i) const {
        const Index start = i > 0 ? ends[i - 1] : 0, end = ends[i];
        if (start < 0 || start > end || end > blob.size()) throw std::invalid_argument("ends of names that do not ascend");
        return {reinterpret_cast<const char*>(blob.data()) + start, static_cast<std::size_t>(end - start)};
    }
};

// The position of a string among sorted names, or -1.
inline Index find(const Names& names, std::string_view wanted) {
    Index low = 0, high = names.ends.size();
    while (low < high) {
        const Index middle = (low + high) / 2;
        if (names[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < names.ends.size() && names[low] == wanted ? low : -1;
}

}  // namespace directrank::sorted_names

#include "data/parsing/lines.hpp"

#include "clones.hpp"

namespace directrank::lines {

DIRECTRANK_CLONES Index count(const Byte* start, const Byte* end, Byte character) {
    constexpr Index BLOCK = 192;  // so that a count fits into a byte
    Index n = 0;
    for (; end - start >= BLOCK; start += BLOCK) {
        Byte found = 0;
        for (Index i = 0; i < BLOCK; ++i) found = static_cast<Byte>(found + (start[i] == character));
        n += found;
    }
    for (; start != end; ++start) n += *start == character;
    return n;
}

DIRECTRANK_CLONES bool is_ascii(const Byte* start, const Byte* end) {
    Byte all = 0;
    for (; start != end; ++start) all = static_cast<Byte>(all | *start);
    return all < 128;
}

}  // namespace directrank::lines

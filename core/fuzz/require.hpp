// Shared parts of the parsers' fuzzers.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "data/parsing/ascii.hpp"

// Aborts the process if a condition fails; libFuzzer reports the input.
#define REQUIRE(promise)                                                       \
    do {                                                                       \
        if (!(promise)) {                                                      \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #promise); \
            std::abort();                                                      \
        }                                                                      \
    } while (false)

namespace directrank::fuzz {

// The input: a byte for each option, then text.
class Input {
  public:
    Input(const Byte* data, std::size_t size) : rest_(data, static_cast<Index>(size)) {}
    int option() {
        if (rest_.empty()) return 0;
        const int value = rest_[0];
        rest_ = rest_.slice(1, rest_.size());
        return value;
    }
    Text text() const { return rest_; }

  private:
    Text rest_;
};

// Whether two numbers have the same bits, or both are NaN.
template <class Float>
bool are_same(Float a, Float b) {
    return (a != a && b != b) || std::memcmp(&a, &b, sizeof a) == 0;
}

}  // namespace directrank::fuzz

// Random bits that depend only on a seed and a counter, so that parallel loops draw the same bits for any number of threads.
#pragma once

#include <cstdint>

namespace directrank::random_words {

// The finaliser of splitmix64 (Steele et al. 2014): every bit of the result depends on every bit of the word.
inline std::uint64_t mix(std::uint64_t word) {
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
    return word ^ (word >> 31);
}

// 64 random bits: element `counter` of the splitmix64 sequence of the seed.
inline std::uint64_t random_word(std::uint64_t seed, std::uint64_t counter) {
    return mix(seed + (counter + 1) * 0x9E3779B97F4A7C15u);
}

}  // namespace directrank::random_words

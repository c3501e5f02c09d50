// Random bits that depend on a seed and a counter alone, so that parallel loops draw the same on any number of threads.
#pragma once

#include <cstdint>

namespace directrank::random_words {

// 64 random bits: the number `counter` of the sequence that splitmix64 (Steele et al. 2014) makes from the seed.
inline std::uint64_t random_word(std::uint64_t seed, std::uint64_t counter) {
    std::uint64_t word = seed + (counter + 1) * 0x9E3779B97F4A7C15;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
    return word ^ (word >> 31);
}

}  // namespace directrank::random_words

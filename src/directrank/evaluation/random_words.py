"""Random bits that depend on a seed and a counter alone, so that parallel loops draw the same in any number of threads."""

from __future__ import annotations

import numpy as np

from ..kernel_compiler import njit


def seed_of(random_state: int) -> np.uint64:
    """A well-mixed seed of `random_word` from any non-negative integer."""
    return np.uint64(np.random.SeedSequence(random_state).generate_state(1, np.uint64)[0])


@njit(cache=True)
def random_word(seed, counter):  # type: ignore[no-untyped-def]
    """64 random bits: the number `counter` of the sequence that splitmix64 (Steele et al. 2014) makes from the seed."""
    word = seed + (np.uint64(counter) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))

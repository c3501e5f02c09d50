"""Seeds for the random bits of the core; see ``core/evaluation/random_words.hpp``."""

from __future__ import annotations

import numpy as np


def seed_of(random_state: int) -> np.uint64:
    """A well-mixed seed from any non-negative integer."""
    return np.uint64(np.random.SeedSequence(random_state).generate_state(1, np.uint64)[0])

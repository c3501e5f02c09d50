"""Fixtures of the tests of Joachims' experiments."""

from __future__ import annotations

import numpy as np
import pytest

from directrank.papers.joachims.data_sources import Collection


@pytest.fixture
def collection() -> Collection:
    """Three separable classes of 60 rows, and one class of a single row."""
    random = np.random.default_rng(0)
    labels = [[int(each)] + [9] * (i == 0) for i, each in enumerate(random.integers(0, 3, 60))]
    X = np.eye(3)[[row[0] for row in labels]] + 0.3 * random.standard_normal((60, 3))
    return Collection.from_labels(X, labels, X[::-1], labels[::-1], "made up")

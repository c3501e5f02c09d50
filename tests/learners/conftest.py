"""Processes that tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from process_shards import Workers


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    """Two processes, which are started again when they die."""
    made = Workers(2)
    yield made
    made.close()

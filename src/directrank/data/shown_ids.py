"""Ids of queries and documents in messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

#: Number of ids to show.
N_SHOWN = 5


def some_of(ids: Sequence[Any]) -> str:
    """The first few ids, for a message."""
    return ", ".join(map(str, ids[:N_SHOWN])) + (", …" if len(ids) > N_SHOWN else "")

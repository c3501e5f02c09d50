"""Import of Altair, with advice if it is missing."""

from __future__ import annotations

from ...data import InputError

try:
    import altair as alt
except ImportError as error:
    raise InputError("charts need Altair: pip install 'directrank[report]'") from error

__all__ = ["alt"]

"""The package that charts need; all of them import it from here."""

from __future__ import annotations

from ...data import InputError

try:
    import altair as alt
except ImportError as error:
    raise InputError("charts need Altair: pip install 'directrank[report]'") from error

__all__ = ["alt"]

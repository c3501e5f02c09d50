"""Errors of measures."""

from __future__ import annotations


class MeasureError(ValueError):
    """A measure was named, set up or used wrongly; the message says how to fix it."""

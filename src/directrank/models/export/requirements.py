"""Packages that only some exports need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import ModelError


def imported(module: str, package: str) -> Any:
    """A module, or a `ModelError` that says what to install."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ModelError(f"this export needs the package {package}: pip install {package}") from error

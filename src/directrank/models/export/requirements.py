"""Optional dependencies of exports."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import ModelError


def imported(module: str, package: str) -> Any:
    """Import a module; raises a `ModelError` that says what to install."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ModelError(f"this export needs the package {package}: pip install {package}") from error

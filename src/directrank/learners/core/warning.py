"""Warnings that point at the user's line."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

_PACKAGE = str(Path(__file__).parents[2]) + os.sep


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the first caller outside this package, however deep within it the reason lies."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def warn_learned_nothing(name: str, why: str) -> None:
    warn(f"{name} learned nothing{why}", UserWarning)

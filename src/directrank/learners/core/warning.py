"""Warnings that point at the user's line."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from sklearn.exceptions import ConvergenceWarning

from .interruption import is_stopped

_PACKAGE = str(Path(__file__).parents[2])


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the first caller outside this package, however deep within it the reason lies.

    That a training ended early is not said to who ended it by a callback.
    """
    if category is ConvergenceWarning and is_stopped():
        return
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)

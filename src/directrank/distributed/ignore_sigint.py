"""Preload module for workers that the command starts: ignore Ctrl-C, which the terminal also sends to the command."""

from __future__ import annotations

import signal
from typing import Any


def dask_setup(worker: Any) -> None:
    """Called by Dask when the worker starts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

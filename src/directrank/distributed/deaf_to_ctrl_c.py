"""What a worker of the command's own preloads: Ctrl-C, which the terminal sends to all, is for the command to hear."""

from __future__ import annotations

import signal
from typing import Any


def dask_setup(worker: Any) -> None:
    """Called by Dask when the worker starts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

"""Turns of Dask's tasks that run kernels: one at a time on each worker, with all of its threads."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..core.num_threads import limit_num_threads

_turns: weakref.WeakKeyDictionary[Any, threading.Lock] = weakref.WeakKeyDictionary()


@contextmanager
def kernel_turn(dask_worker: Any) -> Iterator[None]:
    """Block of a task; Dask runs as many tasks at once as the worker has threads, and each would use all of them."""
    with _turns.setdefault(dask_worker, threading.Lock()), limit_num_threads(dask_worker.state.nthreads):
        yield

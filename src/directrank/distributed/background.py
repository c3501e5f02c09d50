"""Calls in background threads, so that Ctrl-C can end the waiting for them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any

_Call = tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]

#: Queues of the daemon threads that are idle: starting a thread for each call would take a quarter of a remote call.
_idle: list[SimpleQueue[_Call]] = []


def in_background(function: Callable[..., Any], *args: Any) -> Future[Any]:
    """Call a function in a daemon thread; unlike the threads of an executor, the process does not wait for it at exit."""
    future: Future[Any] = Future()
    try:
        calls = _idle.pop()
    except IndexError:
        calls = SimpleQueue()
        threading.Thread(target=_serve, args=(calls,), name="directrank-client", daemon=True).start()
    calls.put((future, function, args))
    return future


def _serve(calls: SimpleQueue[_Call]) -> None:
    while True:
        future, function, args = calls.get()
        _run(future, function, args, calls)
        del future, function, args  # not to be kept alive by an idle thread


def _run(future: Future[Any], function: Callable[..., Any], args: tuple[Any, ...], calls: SimpleQueue[_Call]) -> None:
    """Set the result of a call, once its thread is idle again."""
    try:
        result = function(*args)
    except BaseException as error:
        _idle.append(calls)
        future.set_exception(error)
    else:
        _idle.append(calls)
        future.set_result(result)

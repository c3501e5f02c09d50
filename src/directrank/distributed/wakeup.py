"""Wake-up of a thread that waits for sockets, by another thread."""

from __future__ import annotations

import selectors
import socket
from contextlib import suppress


class Wakeup:
    """A socket that becomes readable when `set` is called; not thread-safe against `close`."""

    def __init__(self) -> None:
        self._sender, self._receiver = socket.socketpair()
        self._sender.setblocking(False)

    def register(self, selector: selectors.BaseSelector) -> None:
        """Have a selector return, from now on, once `set` was called."""
        selector.register(self._receiver, selectors.EVENT_READ)

    def set(self) -> None:
        """Wake the waiting thread, without blocking this one."""
        with suppress(BlockingIOError):  # it was set many times before
            self._sender.send(b"!")

    def close(self) -> None:
        self._sender.close()
        self._receiver.close()

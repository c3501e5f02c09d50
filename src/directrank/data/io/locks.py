"""Locked temporary files and folders, so that leftovers of killed writers can be recognised and removed.

A lock is released when its process ends, however it ends. On Windows, which has no such locks, leftovers stay.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None


@contextmanager
def unfinished(folder: Path, prefix: str, suffix: str, create: Callable[[Path], object]) -> Iterator[Path]:
    """Create a file or a folder with a unique name, and lock it while the block runs."""
    held = None
    try:
        while True:
            path = folder / f"{prefix}{os.getpid()}-{secrets.token_hex(4)}{suffix}"
            create(path)
            if fcntl is None:
                break
            with suppress(FileNotFoundError):  # another writer removed it before it was locked
                held = os.open(path, os.O_RDONLY)
                lock(held)
                if path.exists():
                    break
            if held is not None:
                os.close(held)
                held = None
        yield path
    finally:
        if held is not None:
            os.close(held)


def remove_leftovers(folder: Path, prefix: str, suffix: str, *, keep: str | None = None) -> None:
    """Remove files and folders that `unfinished` created and that are no longer locked, except `keep`."""
    pattern = re.compile(re.escape(prefix) + r"\d+(-[0-9a-f]{8})?" + re.escape(suffix))
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if pattern.fullmatch(entry.name) and entry.name != keep and not entry.is_symlink():
                _remove_unless_held(Path(entry.path), entry.is_dir())


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Hold an exclusive lock on a folder, among threads and processes, while the block runs."""
    if fcntl is None:
        yield
        return
    held = os.open(folder, os.O_RDONLY)
    try:
        lock(held)
        yield
    finally:
        os.close(held)


def lock(descriptor: int, *, wait: bool = True) -> bool:
    """Lock an open file or folder exclusively; returns whether it succeeded."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:  # held, or on a file system without locks
        return False
    return True


def _remove_unless_held(path: Path, is_folder: bool) -> None:
    if fcntl is None:
        return
    with suppress(OSError):  # it is gone already, or not ours to remove
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            if not lock(descriptor, wait=False):
                return
            if is_folder:
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()
        finally:
            os.close(descriptor)

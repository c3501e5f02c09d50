"""Reading a file into one buffer of bytes, and writing files atomically."""

from __future__ import annotations

import codecs
import gzip
import os
import shutil
import stat
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

Bytes = NDArray[np.uint8]
PathLike = str | os.PathLike[str]

_GZIP = b"\x1f\x8b"


def read_bytes(path: PathLike) -> Bytes:
    """The bytes of a text file, memory-mapped, without a byte-order mark; gzip and pipes go through a temporary file."""
    text = _read(path)
    return text[3:] if text[:3].tobytes() == codecs.BOM_UTF8 else text


def _read(path: PathLike) -> Bytes:
    with open(path, "rb") as file:
        if Path(path).is_file():
            return _bytes_of(path, file)
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(file, copy)
            copy.flush()
            return _bytes_of(path, copy)


@contextmanager
def replacing(path: PathLike) -> Iterator[IO[bytes]]:
    """A file to write to, renamed to `path` only once it is complete; compressed if the name ends in .gz.

    A file that is replaced hands its permissions on to the new one.
    """
    if Path(path).exists() and not Path(path).is_file():  # a pipe or a device: there is nothing to replace
        with open(path, "wb") as file:
            yield file
        return
    target = Path(path).resolve()
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with open(part, "wb") as file:
            if target.exists():  # before the first byte: it may be private
                part.chmod(stat.S_IMODE(target.stat().st_mode))
            if target.suffix == ".gz":
                with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as zipped:
                    yield zipped  # type: ignore[misc]
            else:
                yield file
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _bytes_of(path: PathLike, file: IO[bytes]) -> Bytes:
    file.seek(0)
    start = file.read(2)
    if not start:
        return np.empty(0, np.uint8)
    if start != _GZIP:
        return _mapped(file)
    file.seek(0)
    with tempfile.TemporaryFile() as unzipped:
        _unzip(path, file, unzipped)
        unzipped.flush()
        return _mapped(unzipped) if unzipped.tell() else np.empty(0, np.uint8)


def _unzip(path: PathLike, source: IO[bytes], target: IO[bytes]) -> None:
    try:
        with gzip.GzipFile(fileobj=source) as unzipped:
            shutil.copyfileobj(unzipped, target, 2**20)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path}: the gzip file is damaged ({error}); download or create it again") from error


def _mapped(file: IO[bytes]) -> Bytes:
    return np.asarray(np.memmap(file, dtype=np.uint8, mode="r"))  # type: ignore[call-overload]

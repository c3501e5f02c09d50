"""Streams of compressed files: gzip and zstd, recognised by their first bytes, and written by their extension."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from ..errors import InputError

_GZIP, _COMPRESS, _ZSTD = b"\x1f\x8b", b"\x1f\x9d", b"\x28\xb5\x2f\xfd"

#: Number of bytes by which a compressed file is recognised.
MAGIC_SIZE = 4


class DamagedError(Exception):
    """A compressed file that cannot be decompressed."""


def is_compressed(start: bytes) -> bool:
    """Whether a file that starts with these bytes is compressed by gzip or zstd; an `InputError` for compress (.Z)."""
    if start[:2] == _COMPRESS:
        raise InputError("the file was made by compress (.Z), which is not supported; decompress it with gunzip")
    return start[:2] == _GZIP or start == _ZSTD


class Decompressed:
    """Content of a compressed file.

    Parameters
    ----------
    file : object
        Has `read(size)`; nothing of it was read.
    start : bytes
        Its first bytes.
    """

    def __init__(self, file: Any, start: bytes) -> None:
        if start == _ZSTD:
            import pyarrow as pa

            self._kind, self._stream = "zstd", pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd")
        else:
            self._kind, self._stream = "gzip", gzip.GzipFile(fileobj=file)

    def read(self, size: int) -> bytes:
        """Read some bytes; a `DamagedError` if that is not possible."""
        try:
            content: bytes = self._stream.read(size)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise DamagedError(f"the {self._kind} file is damaged ({error}); download or create it again") from error
        except OSError as error:
            if error.errno is not None or self._kind == "gzip":
                raise
            what = " ".join(str(error).split())
            raise DamagedError(f"the zstd file is damaged ({what}); download or create it again") from error
        return content


@contextmanager
def compressed(file: IO[bytes], path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A stream into a file, compressed if the name of `path` ends in .gz or .zst."""
    extension = Path(path).suffix
    stream: Any
    if extension == ".zst":
        import pyarrow as pa

        with pa.CompressedOutputStream(pa.PythonFile(file, mode="w"), "zstd") as stream:
            yield stream
    elif extension == ".gz":
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as stream:
            yield stream
    else:
        yield file

"""Reading files, plain, gzip or zstd, up to a size limit, and writing files atomically."""

from __future__ import annotations

import codecs
import io
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .compression import MAGIC_SIZE, DamagedError, Decompressed, compressed, is_compressed
from .locks import remove_leftovers, unfinished

Bytes = NDArray[np.uint8]
PathLike = str | os.PathLike[str]

_CHUNK = 2**20
_DESCRIPTOR = re.compile(r"(?:/proc/(\d+)(?:/task/\d+)?|/dev)/fd/(\d+)")


#: Default limit of bytes read from a gzip file or a pipe as a stream.
MAX_STREAM_SIZE = 2**40


def half_of_memory() -> int:
    """Half of the physical memory in bytes; 64 GiB if unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):  # Windows
        return 2**36


_limit: ContextVar[int | None] = ContextVar("_limit", default=None)


@contextmanager
def reading_limit(max_size: int) -> Iterator[None]:
    """Limit the bytes read from a file, after decompression, while the block runs, and in its thread only."""
    before = _limit.set(max_size)
    try:
        yield
    finally:
        _limit.reset(before)


def size_limit(max_size: int | None) -> int | None:
    """Validate a limit; the default limit, which may be None, for None."""
    if max_size is None:
        return _limit.get()
    if isinstance(max_size, bool) or not isinstance(max_size, (int, np.integer)) or max_size < 1:
        raise InputError(f"max_size must be a number of bytes, at least 1, not {max_size!r}")
    return int(max_size)


def too_large(limit: int) -> str:
    """Message for a file that is too large."""
    return f"the file holds more than {limit:,} bytes of data; if that is intended, raise max_size (--max-size)"


def several(files: PathLike | Sequence[PathLike]) -> list[PathLike]:
    """A list of files, of which the user may name one or more."""
    listed = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    if not listed:
        raise InputError("no file is named; name one or more")
    return listed


def read_bytes(path: PathLike, max_size: int | None = None) -> Bytes:
    """Read a text file, decompressed if it is gzip or zstd, without a byte-order mark.

    It is read, not memory-mapped: a mapped file that shrinks would kill the process. A file that changes while it is read is
    an error, as is one of more than `max_size` bytes. The default limit for gzip files and pipes, whose size is not known
    in advance, is half of the memory.
    """
    with naming_file(path), open(path, "rb") as file:
        source = _Source(path, file, size_limit(max_size), half_of_memory())
        text = source.read_plain() if source.is_plain else np.frombuffer(source.read_all(), np.uint8)
    text.flags.writeable = False
    return text[3:] if text[:3].tobytes() == codecs.BOM_UTF8 else text


@contextmanager
def opened(path: PathLike, max_size: int | None = None) -> Iterator[io.BufferedReader[Any]]:
    """Open a file as a stream, decompressed if it is gzip. It is never rewound, so it may be a pipe."""
    with (
        open(path, "rb") as file,
        io.BufferedReader(_Source(path, file, size_limit(max_size), MAX_STREAM_SIZE), 2**16) as stream,
    ):
        yield stream


def text_lines(path: PathLike, max_size: int | None = None) -> Iterator[str]:
    """Iterate over the lines of a text file, plain or gzip, with line ends and without a byte-order mark."""
    with opened(path, max_size) as lines:
        yield from decoded_lines(lines, path)


def decoded_lines(lines: Iterable[bytes], path: PathLike) -> Iterator[str]:
    """Decode the lines of a file, without a byte-order mark."""
    for number, line in enumerate(lines, 1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise InputError(f"{path}:{number}: this line is not UTF-8 text ({error}); convert the file first") from error
        yield text


class _Source(io.RawIOBase):
    """Content of an open file, decompressed if it is gzip; checks the size limit, and that the file does not change."""

    def __init__(self, path: PathLike, file: IO[bytes], limit: int | None, unseen: int) -> None:
        self.path, self.file = path, file
        self.before = os.fstat(file.fileno())
        start = file.read(MAGIC_SIZE)
        try:
            zipped = is_compressed(start)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
        self.is_plain = stat.S_ISREG(self.before.st_mode) and self.before.st_size > 0 and not zipped
        self.limit = (self.before.st_size if self.is_plain else unseen) if limit is None else limit
        self.left = self.limit
        if self.is_plain and self.before.st_size > self.limit:
            raise InputError(f"{path}: {too_large(self.limit)}")
        rest: Any = _Rest(start, file)
        self.content = Decompressed(rest, start) if zipped else rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        chunk = self._chunk(len(buffer))
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def read_plain(self) -> Bytes:
        """Read all of a regular file, whose size is known."""
        text = np.empty(self.before.st_size, np.uint8)
        self.file.seek(0)
        if self.file.readinto(text) < text.size:  # type: ignore[attr-defined]
            raise _changed(self.path)
        check_unchanged(self.path, self.file, self.before)
        return text

    def read_all(self) -> bytearray:
        content = bytearray()
        while chunk := self._chunk(_CHUNK):
            content += chunk
        return content

    def _chunk(self, size: int) -> bytes:
        try:
            with naming_file(self.path):
                chunk: bytes = self.content.read(size)
        except DamagedError as error:
            check_unchanged(self.path, self.file, self.before)
            raise InputError(f"{self.path}: {error}") from error
        self.left -= len(chunk)
        if self.left < 0:
            check_unchanged(self.path, self.file, self.before)
            raise InputError(f"{self.path}: {too_large(self.limit)}")
        if not chunk:
            check_unchanged(self.path, self.file, self.before)
        return chunk


class _Rest:
    """A file whose first bytes have been read already, to recognise its format."""

    def __init__(self, start: bytes, file: IO[bytes]) -> None:
        self.start, self.file, self.closed = start, file, False

    def close(self) -> None:
        """Leave the file open for the checks after the last byte; part of the interface of Arrow's streams."""

    def read(self, size: int = -1) -> bytes:
        if not self.start:
            return self.file.read(size)
        if 0 <= size < len(self.start):
            chunk, self.start = self.start[:size], self.start[size:]
            return chunk
        chunk, self.start = self.start, b""
        return chunk + self.file.read(max(size - len(chunk), -1))


def check_unchanged(path: PathLike, file: IO[bytes], before: os.stat_result) -> None:
    """Check that a regular file has not changed since `before`."""
    after = os.fstat(file.fileno())
    if stat.S_ISREG(before.st_mode) and (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        raise _changed(path)


def _changed(path: PathLike) -> InputError:
    return InputError(f"{path}: the file changed while it was read; read it again once it is complete")


@contextmanager
def replacing(path: PathLike) -> Iterator[IO[bytes]]:
    """Open a temporary file for writing, renamed to `path` once it is complete; compressed if the name ends in .gz.

    Permissions of a replaced file are kept; if `path` is a symbolic link, its target is replaced. A path that is not a
    regular file (a pipe, a device, ``/dev/stdout``) is written to directly. Each writer has its own temporary file, so the
    last of several writers wins; temporary files of killed writers are removed.
    """
    with naming_file(path):
        stream = _stream(path)
        if stream is not None:
            with stream, compressed(stream, path) as file:
                yield file
            return
        target = Path(os.path.realpath(path))
        prefix, suffix = f".{target.name}.", ".part"
        remove_leftovers(target.parent, prefix, suffix)
        with unfinished(target.parent, prefix, suffix, Path.touch) as part:
            try:
                with open(part, "wb") as whole:
                    if target.exists():  # before the first byte: it may be private
                        os.chmod(part, stat.S_IMODE(target.stat().st_mode))
                    with compressed(whole, target) as file:
                        yield file
                os.replace(part, target)
            except BaseException:
                part.unlink(missing_ok=True)
                raise


@contextmanager
def naming_file(path: PathLike) -> Iterator[None]:
    """Name a file in errors of the operating system that have no name, or that of its temporary file."""
    try:
        yield
    except OSError as error:
        name = os.path.basename(os.path.realpath(path))
        if type(error) is OSError and error.errno is None:  # NumPy's, of a full disk: "100 requested and 0 written"
            raise OSError(f"{path}: {error}") from error
        if error.errno is None or (error.filename is not None and f".{name}." not in str(error.filename)):
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def is_stream(path: PathLike) -> bool:
    """Whether a path exists and is not a regular file: a pipe, a device, a file descriptor of this process."""
    return descriptor_of(path) is not None or (os.path.exists(path) and not os.path.isfile(path))


def descriptor_of(path: PathLike) -> int | None:
    """The file descriptor of this process that a path such as /dev/stdout refers to; symbolic links are followed."""
    place = os.path.abspath(path)
    for _ in range(40):  # as many links as Linux follows
        folder, name = os.path.split(place)
        found = _DESCRIPTOR.fullmatch(os.path.join(os.path.realpath(folder), name))
        if found is not None:
            return int(found[2]) if found[1] in (None, str(os.getpid())) else None
        if not os.path.islink(place):
            return None
        place = os.path.join(folder, os.readlink(place))
    return None


def _stream(path: PathLike) -> IO[bytes] | None:
    descriptor = descriptor_of(path)
    if descriptor is not None:
        # Opening the file by its name would truncate it and lose its position.
        if sys.stdout is not None:
            sys.stdout.flush()
        return open(os.dup(descriptor), "wb")
    return open(path, "wb") if is_stream(path) else None

"""The file that a command writes: checked before any work; ``-`` is standard output, which then has nothing else."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ..data.errors import InputError
from .streams import results_to_standard_error

STANDARD_OUTPUT = Path("/dev/stdout")


def as_target(path: Path | None) -> Path | None:
    """The file that is meant: the callback of an option."""
    return STANDARD_OUTPUT if path is not None and os.fspath(path) == "-" else path


def shown(target: Path) -> str:
    """The name of a file that was written."""
    return "standard output" if target == STANDARD_OUTPUT else str(target)


def check_target(target: Path, sources: Iterable[Path | None], as_json: bool = False) -> None:
    """Refuse, before any work, a target that is one of the sources or cannot be written.

    Where it is standard output, all that is printed goes to standard error from now on, and ``--json`` is refused.
    """
    from ..data.io.files import descriptor_of, is_stream

    real = os.path.realpath(target)
    if os.path.isdir(real):
        raise InputError(f"{target} is a folder; name a file to write")
    if not is_stream(target) and not os.path.isdir(os.path.dirname(real)):
        raise InputError(f"{target}: there is no such folder to write to")
    is_device = os.path.exists(real) and not os.path.isfile(real)  # a terminal is read and written
    if not is_device and real in [os.path.realpath(source) for source in sources if source is not None]:
        raise InputError(f"{target} is to be read and written; choose another name to write")
    try:
        if not is_stream(target):
            tempfile.TemporaryFile(dir=os.path.dirname(real)).close()  # where it is written, to take the old one's place
        elif not _is_writable(target):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror}") from error
    if descriptor_of(target) == 1:
        if as_json:
            raise InputError("standard output is the file to write, so --json has no place there; name a file (-o FILE)")
        results_to_standard_error()


def _is_writable(stream: Path) -> bool:
    """Whether a pipe, a device or a descriptor of this process can be written to."""
    from ..data.io.files import descriptor_of

    descriptor = descriptor_of(stream)
    if descriptor is None:
        return os.access(stream, os.W_OK)
    try:
        os.write(descriptor, b"")  # EBADF where it is closed or open for reading only
    except OSError:
        return False
    return True

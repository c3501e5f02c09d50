"""Output files: checked before any work; ``-`` is standard output, where nothing else is printed then."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ...data.errors import InputError
from .streams import results_to_standard_error

STANDARD_OUTPUT = Path("/dev/stdout")


def as_output_file(path: Path | None) -> Path | None:
    """Callback of output options: ``-`` stands for standard output."""
    return STANDARD_OUTPUT if path is not None and os.fspath(path) == "-" else path


def display_name(file: Path) -> str:
    """Name of an output file in messages."""
    return "standard output" if file == STANDARD_OUTPUT else str(file)


def check_output_file(file: Path, inputs: Iterable[str | Path | None], as_json: bool = False) -> None:
    """Raise an error, before any work, if an output file is one of the inputs or cannot be written.

    If it is standard output, everything is printed to standard error from then on, and ``--json`` is an error.
    """
    from ...data.io.files import descriptor_of, is_stream

    real = os.path.realpath(file)
    if os.path.isdir(real):
        raise InputError(f"{file} is a folder; name a file to write")
    if not is_stream(file) and not os.path.isdir(os.path.dirname(real)):
        raise InputError(f"{file}: its folder does not exist")
    is_device = os.path.exists(real) and not os.path.isfile(real)  # a terminal is read and written
    if not is_device and real in [os.path.realpath(path) for path in inputs if path is not None]:
        raise InputError(f"{file} is both an input and the output; choose another output file")
    try:
        if not is_stream(file):
            tempfile.TemporaryFile(dir=os.path.dirname(real)).close()  # where it is written, to take the old one's place
        elif not _is_writable(file):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}") from error
    if descriptor_of(file) == 1:
        if as_json:
            raise InputError(
                "standard output is the file to write, so --json cannot be printed there; name a file (-o FILE)"
            )
        results_to_standard_error()


def _is_writable(stream: Path) -> bool:
    """Whether a pipe, a device or a descriptor of this process can be written to."""
    from ...data.io.files import descriptor_of

    descriptor = descriptor_of(stream)
    if descriptor is None:
        return os.access(stream, os.W_OK)
    try:
        os.write(descriptor, b"")  # EBADF where it is closed or open for reading only
    except OSError:
        return False
    return True

"""Digest of the footer of a Parquet file, which describes the columns and has no checksum of its own.

The digest stands between the data and the footer, where no reader looks: columns are found by their offsets, and the footer
from the end of the file. A tool that rewrites the file leaves it out.
"""

from __future__ import annotations

import io
from hashlib import blake2b
from typing import IO, Any

from ...errors import InputError

_MARK = b"directrank: digest of the footer "
_DIGEST_SIZE = 16
_END_SIZE = 8  # the length of the footer, and PAR1
_WINDOW = 2**16


class FooterDigestWriter(io.RawIOBase):
    """Writes to a file, with the digest of the footer before it.

    Parameters
    ----------
    file : binary file object
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._footer = file, bytearray()
        self._is_at_footer = False

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        if self._is_at_footer:
            self._footer += content
        else:
            self._file.write(content)
        return len(content)

    def start_footer(self) -> None:
        """Hold back everything that is written from now on."""
        self._is_at_footer = True

    def end_footer(self) -> None:
        """Write the digest and everything that was held back."""
        end = len(self._footer) - _END_SIZE
        start = end - int.from_bytes(self._footer[end : end + 4], "little")
        assert start >= 0, "the footer is not complete"
        self._file.write(self._footer[:start] + _MARK + _digest(self._footer[start:end]) + self._footer[start:])


def check_footer(file: Any) -> bool:
    """Whether a Parquet file has a digest of its footer; a footer that differs from its digest is an error."""
    end = file.seek(0, io.SEEK_END) - _END_SIZE
    file.seek(max(end, 0))
    length, magic = int.from_bytes(file.read(4), "little"), file.read(4)
    first = max(end - length - _WINDOW, 0)
    file.seek(first)
    tail = bytes(file.read(max(end - first, 0)))
    file.seek(0)
    mark = tail.rfind(_MARK)
    if mark < 0 or magic != b"PAR1":  # an incomplete file, which pyarrow refuses
        return False
    digest = mark + len(_MARK)
    footer = digest + _DIGEST_SIZE
    if len(tail) - footer != length or tail[digest:footer] != _digest(tail[footer:]):
        raise InputError("the Parquet file is damaged: its footer differs from what was written; write it again")
    return True


def _digest(footer: bytes | bytearray) -> bytes:
    return blake2b(footer, digest_size=_DIGEST_SIZE).digest()

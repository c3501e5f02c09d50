"""Shared by the fuzzers of files: damaging bytes, and checking the error message."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from directrank import InputError


def joined(rng: np.random.Generator, pieces: Sequence[bytes], most: int) -> bytes:
    """Up to so many of some pieces, one after another."""
    return b"".join(pieces[i] for i in rng.integers(len(pieces), size=rng.integers(most + 1)))


def mutated(rng: np.random.Generator, content: bytes, changes: int) -> bytes:
    """Content with so many changes: a bit or a byte; some bytes removed, repeated, zeroed or inserted; the end cut off."""
    out = bytearray(content)
    for _ in range(changes):
        at, length = int(rng.integers(len(out) + 1)), int(rng.integers(1, 2 ** rng.integers(1, 10)))
        kind = rng.integers(8)
        if kind <= 1 and at < len(out):
            out[at] ^= 1 << int(rng.integers(8))
        elif kind == 2 and at < len(out):
            out[at] = int(rng.integers(256))
        elif kind == 3:
            del out[at : at + length]
        elif kind == 4:
            out[at:at] = out[at : at + length]
        elif kind == 5:
            out[at : at + length] = bytes(len(out[at : at + length]))
        elif kind == 6:
            out[at:at] = rng.bytes(length)
        else:
            del out[at:]
    return bytes(out)


@contextmanager
def refuses_in_one_sentence(path: Path) -> Iterator[None]:
    """Reading may succeed, or be refused with one sentence that names the file; nothing else may happen."""
    try:
        yield
    except InputError as error:
        if not re.search(one_sentence(path), str(error)):
            pytest.fail(f"not one sentence with its place: {error}")


def one_sentence(path: Path) -> str:
    """The pattern of an error that is one sentence and names the file."""
    return rf"\A{re.escape(str(path))}(:\d+)?:? \S[^\n]+\Z"

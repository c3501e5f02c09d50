"""Gzip files that are damaged or cut short: the text of the file, or one sentence."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from mutating import mutated, one_sentence, refuses_in_one_sentence

from directrank import InputError
from directrank.data import read_documents
from directrank.data.io.files import read_bytes


def check(rng: np.random.Generator, path: Path) -> None:
    text = b"".join(b"d%d\t%d\n" % (i, rng.integers(1000)) for i in range(rng.integers(1, 300)))
    members = [text[: len(text) // 2], text[len(text) // 2 :]] if rng.random() < 0.3 else [text]
    content = b"".join(gzip.compress(member, int(rng.integers(10))) for member in members)
    path.write_bytes(content)
    assert read_bytes(path).tobytes() == text
    assert len(list(read_documents(path))) == text.count(b"\n")
    path.write_bytes(mutated(rng, content, int(rng.integers(1, 4))))
    with refuses_in_one_sentence(path):
        read_bytes(path, max_size=2**24)
    with refuses_in_one_sentence(path):
        list(read_documents(path, max_size=2**24))


def check_cut(rng: np.random.Generator, path: Path) -> None:
    content = gzip.compress(rng.bytes(rng.integers(200)))
    path.write_bytes(content[: rng.integers(2, len(content))])
    with pytest.raises(InputError, match=one_sentence(path)):
        read_bytes(path)


def test_damaged_files(fuzz, tmp_path: Path) -> None:
    fuzz(lambda rng: check(rng, tmp_path / "x.gz"), cases=1000)


def test_files_that_are_cut_short(fuzz, tmp_path: Path) -> None:
    fuzz(lambda rng: check_cut(rng, tmp_path / "x.gz"), cases=1000)

"""The readers of runs, qrels and scores against plain ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mutating import joined, one_sentence

from directrank import InputError, read_qrels, read_run
from directrank.data import read_scores

NUMBER = re.compile(rb"[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)")
PIECES = [b"1", b"q", b"Q0", b"0", b"doc", b"d\xc3\xa9", b"2.5", b"-1", b"1e3", b"1e999", b"nan", b"#", b"\x00", b"\xff"]
PIECES += [b" "] * 6 + [b"\t", b"\n", b"\n", b"\r\n", b"0.1234567890123456789012"]
TOKENS = [b"1", b"2", b"q1", b"Q0", b"d\xc3\xa9", b"0.5", b"-3", b"1e-320", b"7."]

#: For each reader: how many columns a line has, which of them are text, and which is a number.
FORMS = {"run": (6, [0, 2], 4), "qrels": (4, [0, 2], 3), "scores": (1, [], 0)}


class RefusedError(Exception):
    pass


def read_plainly(text: bytes, n_columns: int, names: list[int], value: int) -> list[tuple[Any, ...]]:
    """The names and the number of each line. Judgments may go without their second column."""
    rows = []
    filled = [tokens for tokens in map(bytes.split, text.split(b"\n")) if tokens]
    if n_columns == 4 and filled and len(filled[0]) == 3:
        n_columns, names, value = 3, [0, 1], 2
    for tokens in filled:
        if len(tokens) != n_columns or NUMBER.fullmatch(tokens[value]) is None or not np.isfinite(float(tokens[value])):
            raise RefusedError
        try:
            if n_columns == 6 and not rows:
                tokens[5].decode()  # the run's name
            rows.append((*(tokens[i].decode() for i in names), float(tokens[value])))
        except UnicodeDecodeError as error:
            raise RefusedError from error
    if not rows:
        raise RefusedError
    return rows


def rows_of_run(path: Path) -> list[tuple[Any, ...]]:
    run = read_run(path)
    return list(zip(run.qid.tolist(), run.docno.tolist(), run.score.tolist(), strict=True))


def rows_of_qrels(path: Path) -> list[tuple[Any, ...]]:
    qrels = read_qrels(path)
    return list(zip(qrels.qid.tolist(), qrels.docno.tolist(), qrels.grade.tolist(), strict=True))


def rows_of_scores(path: Path) -> list[tuple[Any, ...]]:
    return [(score,) for score in read_scores(path).tolist()]


READERS: dict[str, Callable[[Path], list[tuple[Any, ...]]]]
READERS = {"run": rows_of_run, "qrels": rows_of_qrels, "scores": rows_of_scores}


def lines(rng: np.random.Generator, n_columns: int) -> bytes:
    """Lines that are right in the number of columns, but for a few that are made of pieces."""
    out = b""
    for _ in range(rng.integers(7)):
        if rng.random() < 0.1:
            out += joined(rng, PIECES, 12)
        else:
            out += b" ".join(TOKENS[i] for i in rng.integers(len(TOKENS), size=n_columns - 1)) + b" "
            out += [b"1.5", b"-2", b"tag"][rng.integers(3)] + b"\n"
    return out


def check(rng: np.random.Generator, path: Path, name: str) -> None:
    form = FORMS[name]
    text = lines(rng, form[0]) if rng.random() < 0.8 else joined(rng, PIECES, 40)
    path.write_bytes(text)
    try:
        wanted = read_plainly(text, *form)
    except RefusedError:
        with pytest.raises(InputError, match=one_sentence(path)):
            READERS[name](path)
        return
    assert READERS[name](path) == wanted


@pytest.mark.parametrize("name", FORMS)
def test_against_a_plain_reader(fuzz, tmp_path: Path, name: str) -> None:
    fuzz(lambda rng: check(rng, tmp_path / "x.txt", name), cases=1000)

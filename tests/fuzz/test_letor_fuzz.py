"""The LETOR reader against a plain one, on lines that are nearly right, and on any bytes at all."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from mutating import joined, mutated, refuses_in_one_sentence

from directrank import InputError, RankingData, read_letor
from directrank.data.formats.letor import reader
from directrank.data.parsing.lines import pieces

NUMBER = re.compile(rb"[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|nan|inf|infinity)", re.IGNORECASE)


class RefusedError(Exception):
    def __init__(self, line: int) -> None:
        self.line = line


def number(token: bytes, line: int) -> float:
    if NUMBER.fullmatch(token) is None:
        raise RefusedError(line)
    return float(token)


def read_plainly(text: bytes) -> list[tuple[float, bytes | None, dict[int, float], bytes]]:
    """Grade, query, features and comment of each row; or the first line that is wrong."""
    rows = []
    for line, raw in enumerate(text.split(b"\n"), 1):
        head, _, comment = raw.partition(b"#")
        tokens = head.split()
        if not tokens:
            continue
        has_grade = not tokens[0].startswith(b"qid:")
        grade = number(tokens.pop(0), line) if has_grade else np.nan
        if has_grade and not 0 <= grade < np.inf:
            raise RefusedError(line)
        qid = None
        if tokens and tokens[0].startswith(b"qid:"):
            qid = tokens.pop(0)[4:]
            if not qid:
                raise RefusedError(line)
        features: dict[int, float] = {}
        for token in tokens:
            index, colon, value = token.partition(b":")
            if not colon or not re.fullmatch(rb"\d+", index) or not max([0, *features]) < int(index) < 2**31:
                raise RefusedError(line)
            features[int(index)] = number(value, line)
            if np.isinf(features[int(index)]):
                raise RefusedError(line)
        rows.append((grade, qid, features, comment))
    if len({qid is None for _, qid, _, _ in rows}) == 2 or len({np.isnan(grade) for grade, *_ in rows}) == 2:
        raise RefusedError(0)
    return rows


PIECES = [b"0", b"1", b"2.5", b"-1", b"qid:", b"qid:1", b"qid:2", b"qid:q", b"#", b"1:", b"1:1", b"1:0.5", b"2:3", b"2:-1e2"]
PIECES += [b"3:1e", b"7:nan", b"4:1.23456789012345678901", b":", b"docid = a", b"x", b"\xc3\xa9", b"\x00", b"\t", b"\r"]
PIECES += [b" "] * 3 + [b"\n"] * 3
FEATURES = [b"1:1", b"2:0.25", b"3:-7e-1", b"9:1"]


def line(rng: np.random.Generator) -> bytes:
    """A line that is right, or a few pieces of one."""
    if rng.random() < 0.4:
        return joined(rng, PIECES, 6)
    head = [[b"0", b"1", b"2.0"][rng.integers(3)], *([], [b"qid:1"], [b"qid:1"], [b"qid:2"])[rng.integers(4)]]
    features = [feature for feature in FEATURES if rng.random() < 0.5]
    return b" ".join(head + features) + [b"", b" # a", b"#docid = b c"][rng.integers(3)] + b"\n"


def read_ours(path: Path, text: bytes, n_pieces: int, as_sparse: bool) -> RankingData:
    path.write_bytes(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "pieces", lambda t: pieces(t, size=max(t.size // n_pieces, 1)))
        return read_letor(path, sparse=as_sparse)


def check_against_a_plain_reader(rng: np.random.Generator, path: Path) -> None:
    text = b"".join(line(rng) for _ in range(rng.integers(9)))
    n_pieces, as_sparse = int(rng.integers(1, 10)), bool(rng.random() < 0.5)
    try:
        wanted = read_plainly(text)
    except RefusedError as refused:
        with pytest.raises(InputError) as error:
            read_ours(path, text, n_pieces, as_sparse)
        place = re.fullmatch(re.escape(str(path)) + r":(\d+): \S[^\n]+", str(error.value))
        assert place is not None and int(place[1]) in ([refused.line] if refused.line else range(1, 99))
        return
    if not wanted:
        with pytest.raises(InputError, match="the file has no data lines"):
            read_ours(path, text, n_pieces, as_sparse)
        return
    data = read_ours(path, text, n_pieces, as_sparse)
    X = data.X.toarray() if as_sparse else data.X
    grades = [grade for grade, *_ in wanted]
    assert (data.y.tolist() == grades) if data.has_labels else np.isnan(grades).all()
    assert X.shape[1] == max([1, *(index for _, _, features, _ in wanted for index in features)])
    for row, (_, _, features, _) in zip(X, wanted, strict=True):
        np.testing.assert_array_equal(row, [features.get(j, 0.0) for j in range(1, X.shape[1] + 1)])
    qids = [qid for _, qid, _, _ in wanted]
    assert (data.qid is None) if qids[0] is None else [str(q) for q in data.qid.tolist()] == [q.decode() for q in qids]


def check_any_bytes(rng: np.random.Generator, path: Path) -> None:
    alphabet = [b"0", b"1", b" ", b":", b".", b"#", b"qid", b"\n", b"-", b"e", b"\r"]
    text = rng.bytes(rng.integers(200)) if rng.random() < 0.5 else joined(rng, alphabet, 200)
    with refuses_in_one_sentence(path):
        read_ours(path, text, int(rng.integers(1, 6)), True)


def check_header(rng: np.random.Generator, path: Path) -> None:
    values = [True, False, None, 1, -1, 0.5, 2**31 - 1, 2**40, "float32", "string", "\ud800", [], ["a"], ["a", "\ud800"], {}]
    keys = ["n_features", "feature_names", "dtype", "qid", "sparse", "else"]
    header = {keys[rng.integers(len(keys))]: values[rng.integers(len(values))] for _ in range(rng.integers(3))}
    head = b"# directrank " + mutated(rng, json.dumps(header).encode(), rng.integers(2))
    with refuses_in_one_sentence(path):
        read_ours(path, head + b"\n1 qid:1 1:5\n0 qid:1 1:6\n", 1, bool(rng.random() < 0.5))


def test_against_a_plain_reader(fuzz, tmp_path: Path) -> None:
    fuzz(lambda rng: check_against_a_plain_reader(rng, tmp_path / "x.txt"), cases=1500)


def test_any_bytes(fuzz, tmp_path: Path) -> None:
    fuzz(lambda rng: check_any_bytes(rng, tmp_path / "x.txt"), cases=800)


def test_headers(fuzz, tmp_path: Path) -> None:
    fuzz(lambda rng: check_header(rng, tmp_path / "x.txt"), cases=1000)

"""The LETOR reader against a plain one, on lines that are nearly right, and on any bytes at all."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from directrank import InputError, read_letor
from directrank.data.bytes.lines import _line_starts
from directrank.data.formats import letor

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
        tokens = [t for t in re.split(rb"[\x00-\x20]+", head) if t]
        if not tokens:
            continue
        grade = number(tokens.pop(0), line)
        if not 0 <= grade < np.inf:
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
    if len({qid is None for _, qid, _, _ in rows}) == 2:
        raise RefusedError(0)
    return rows


piece = st.sampled_from(
    [
        b"0",
        b"1",
        b"2.5",
        b"-1",
        b"qid:",
        b"qid:1",
        b"qid:2",
        b"qid:q",
        b" ",
        b" ",
        b" ",
        b"\t",
        b"\r",
        b"\n",
        b"\n",
        b"\n",
        b"#",
    ]
    + [
        b"1:",
        b"1:1",
        b"1:0.5",
        b"2:3",
        b"2:-1e2",
        b"3:1e",
        b"7:nan",
        b"4:1.23456789012345678901",
        b":",
        b"docid = a",
        b"x",
        b"\xc3\xa9",
        b"\x00",
    ]
)
line = st.builds(
    lambda grade, qid, features, comment: b" ".join([grade, *qid, *features]) + comment + b"\n",
    st.sampled_from([b"0", b"1", b"2.0"]),
    st.sampled_from([[b"qid:1"], [b"qid:1"], [b"qid:2"], []]),
    st.lists(st.sampled_from([b"1:1", b"2:0.25", b"3:-7e-1", b"9:1"]), max_size=4, unique=True).map(sorted),
    st.sampled_from([b"", b" # a", b"#docid = b c"]),
)
nearly_right = st.lists(line | st.lists(piece, max_size=6).map(b"".join), max_size=8).map(b"".join)


def line_named(path: Path, message: str) -> int:
    """The line that an error names; the message must be one sentence."""
    place = re.fullmatch(re.escape(str(path)) + r":(\d+): \S[^\n]+", message)
    return int(place[1]) if place else -1


def read_ours(path: Path, text: bytes, n_pieces: int, as_sparse: bool):
    path.write_bytes(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(letor, "pieces", lambda t: _line_starts(t, np.linspace(0, t.size, n_pieces + 1).astype(np.int64)))
        return read_letor(path, sparse=as_sparse)


@settings(max_examples=600)
@given(nearly_right, st.integers(1, 9), st.booleans())
def test_against_a_plain_reader(tmp_path_factory, text: bytes, n_pieces: int, as_sparse: bool) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.txt"
    try:
        wanted = read_plainly(text)
    except RefusedError as refused:
        with pytest.raises(InputError) as error:
            read_ours(path, text, n_pieces, as_sparse)
        assert line_named(path, str(error.value)) in ([refused.line] if refused.line else range(1, 99))
        return
    if not wanted:
        with pytest.raises(InputError, match="the file has no data lines"):
            read_ours(path, text, n_pieces, as_sparse)
        return
    data = read_ours(path, text, n_pieces, as_sparse)
    X = data.X.toarray() if as_sparse else data.X
    assert data.y.tolist() == [grade for grade, *_ in wanted]
    assert X.shape[1] == max([1, *(index for _, _, features, _ in wanted for index in features)])
    for row, (_, _, features, _) in zip(X, wanted, strict=True):
        np.testing.assert_array_equal(row, [features.get(j, 0.0) for j in range(1, X.shape[1] + 1)])
    qids = [qid for _, qid, _, _ in wanted]
    assert (data.qid is None) if qids[0] is None else [str(q) for q in data.qid.tolist()] == [q.decode() for q in qids]


@settings(max_examples=300)
@given(st.binary(max_size=200) | st.text("01 :.#qid\n-e\r", max_size=200).map(str.encode), st.integers(1, 5))
def test_any_bytes(tmp_path_factory, text: bytes, n_pieces: int) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.txt"
    try:
        read_ours(path, text, n_pieces, True)
    except InputError as error:
        if not re.fullmatch(re.escape(str(path)) + r"(:\d+)?: \S[^\n]+", str(error)):
            pytest.fail(f"not one sentence with its place: {error}")

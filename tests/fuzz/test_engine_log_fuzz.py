"""The readers of search engines' logs on damaged responses, and on responses that are well-formed and wrong."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from mutating import joined, mutated, refuses_in_one_sentence

from directrank import read_engine_log

FEATURES = ["bm25", "é", "東京", "a_b", "x:y", "x y", "=", ",", ";", ":", "\n"]
VALUES: list[Any] = [0.5, 3, -1e-3, 1e39, 10**400, None, "NaN", "Infinity", True, "x", {}, [], [1], {"a": {}}]
IDS: list[Any] = ["a", "b", "7", 7, "é", "a b", "a\nb", "", None, 1.5, True, [], ["1", "2"], "\ud800"]
PIECES = [
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b'"',
    b"\n",
    b" ",
    b"1",
    b"x=1.0",
    b'"id"',
    b"id,qid,fv\n",
    b"a,7,",
    b"\xff",
    b"null",
]
PIECES += [
    b'{"qid":1,"hits":{"hits":[',
    b'{"_id":"a","fields":{"_ltrlog":[{"m":[',
    b'{"name":"x","value":2}',
    b"]}]}}",
    b"]}}\n",
]
PIECES += [b'{"response":{"docs":[', b'{"id":"a","qid":7,"fv":"x=1.0"}', b'{"responses":[', b'{"error":1}', b"\x00", b"\r"]


def one(rng: np.random.Generator, choices: list[Any], usual: int) -> Any:
    """Mostly one of the first, which are right."""
    return choices[rng.integers(usual if rng.random() < 0.95 else len(choices))]


def elasticsearch(rng: np.random.Generator) -> Any:
    def entry() -> Any:
        entry = {"name": one(rng, [*FEATURES, *IDS], 5)}
        return entry if rng.random() < 0.2 else entry | {"value": one(rng, VALUES, 3)}

    hits = [
        {"_id": one(rng, IDS, 5), "fields": {"_ltrlog": [{"main": [entry() for _ in range(rng.integers(3))]}]}}
        for _ in range(rng.integers(4))
    ]
    return {"qid": one(rng, IDS, 5), "hits": {"hits": hits}}


def solr(rng: np.random.Generator) -> Any:
    def vector() -> Any:
        pairs = (f"{one(rng, FEATURES, 5)}={one(rng, VALUES, 3)}" for _ in range(rng.integers(3)))
        return one(rng, [",".join(pairs), *VALUES], 1)

    documents = [{"id": one(rng, IDS, 5), "qid": one(rng, IDS, 5), "fv": vector()} for _ in range(rng.integers(4))]
    return {"responseHeader": {"status": 0}, "response": {"docs": documents}}


def csv(rng: np.random.Generator) -> bytes:
    cells = ["a", "7", "b", "x=1.0", '"x=1.0,y=2"', '"q""q"', "", "id", "fv", '"']
    rows = (",".join(one(rng, cells, 6) for _ in range(one(rng, [3, 2, 4], 1))) for _ in range(rng.integers(5)))
    return ("id,qid,fv\n" + "".join(f"{row}\n" for row in rows)).encode()


def responses(rng: np.random.Generator) -> bytes:
    kind = rng.integers(4)
    if kind == 3:
        return csv(rng)
    made = [(solr if kind == 0 else elasticsearch)(rng) for _ in range(rng.integers(1, 4))]
    if kind == 2:
        made = [{"responses": made, "qid": one(rng, [[r["qid"] for r in made], ["1"], *IDS], 1)}]
    return b"\n".join(json.dumps(r, indent=2 if rng.random() < 0.3 else None).encode() for r in made)


def check(rng: np.random.Generator, path: Path) -> None:
    content = responses(rng) if rng.random() < 0.8 else joined(rng, PIECES, 30)
    path.write_bytes(mutated(rng, content, int(rng.integers(3))))
    with refuses_in_one_sentence(path), warnings.catch_warnings(action="ignore"):
        log = read_engine_log(path, missing=None if rng.random() < 0.5 else -1)
        assert log.X.shape == (len(log), len(log.feature_names)) and not np.isinf(log.X).any()
        assert len(set(zip(log.qid.tolist(), log.docno.tolist(), strict=True))) == len(log)
        "".join([*log.qid.tolist(), *log.docno.tolist(), *log.feature_names]).encode()  # what was read can be written


def test_engine_logs(fuzz, tmp_path: Path) -> None:
    fuzz(lambda rng: check(rng, tmp_path / "x"), cases=3000)

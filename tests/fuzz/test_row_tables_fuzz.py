"""CSV, JSON lines and Arrow files that are damaged or nonsense: the data, or one sentence that names the file."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from mutating import joined, mutated, refuses_in_one_sentence

from directrank import RankingData, read_qrels, read_run
from directrank.data import InputWarning, read_scores
from directrank.data.formats.ranking_writer import write_ranking_data

CSV = [b"qid", b"label", b"docno", b"x", b",", b",", b"\n", b"\n", b'"', b"1", b"0.5", b"-", b"NA", b"\r\n", b"\t", b";"]
JSON = [b'{"qid":1,', b'"label":0,', b'"x":', b"1.5}", b"\n", b"[", b"]", b",", b"null", b'{"a":{"b":1}}', b"{}", b"NaN"]


def read(path: Path) -> None:
    with warnings.catch_warnings(), refuses_in_one_sentence(path):
        warnings.simplefilter("ignore", InputWarning)
        data = RankingData.read(path, max_size=2**28)
        assert data.X.shape == (len(data), data.n_features)
        assert all(column is None or len(column) == len(data) for column in (data.qid, data.docno, data.weight))


def check_damaged(rng: np.random.Generator, path: Path) -> None:
    n = int(rng.integers(1, 30))
    qid = rng.integers(4, size=n)
    data = RankingData(
        np.where(rng.random((n, 2)) < 0.2, np.nan, rng.normal(size=(n, 2))),
        rng.integers(3, size=n),
        [f"query, {q}" for q in qid] if rng.random() < 0.5 else qid,
        [f"é{i}" for i in range(n)],
    )
    write_ranking_data(path, data)
    path.write_bytes(mutated(rng, path.read_bytes(), int(rng.integers(1, 4))))
    read(path)


def check_nonsense(rng: np.random.Generator, path: Path, pieces: list[bytes]) -> None:
    path.write_bytes(joined(rng, pieces, 30))
    read(path)
    for reader in (read_qrels, read_run, read_scores):
        with refuses_in_one_sentence(path):
            reader(path)


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".arrow", ".csv.gz", ".csv.zst"])
def test_damaged_files(fuzz, tmp_path: Path, ending: str) -> None:
    fuzz(lambda rng: check_damaged(rng, tmp_path / f"x{ending}"), cases=60)


@pytest.mark.parametrize(("ending", "pieces"), [(".csv", CSV), (".jsonl", JSON), (".txt", CSV), (".json", JSON)])
def test_nonsense(fuzz, tmp_path: Path, ending: str, pieces: list[bytes]) -> None:
    fuzz(lambda rng: check_nonsense(rng, tmp_path / f"x{ending}", pieces), cases=200)

"""Parquet files that are damaged: the data of the file, or one sentence."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from mutating import mutated, refuses_in_one_sentence

from directrank import RankingData, read_parquet, write_parquet
from directrank.data import InputWarning

FOOTER = 8  # the length of the metadata, and PAR1


def content_of(rng: np.random.Generator, path: Path) -> bytes:
    n = int(rng.integers(1, 60))
    y, qid = rng.integers(3, size=n).astype(float), rng.integers(5, size=n)
    X = np.round(rng.random((n, 2)), int(rng.integers(1, 9)))
    kind = rng.integers(3)
    if kind == 0:
        write_parquet(path, RankingData(X, y, qid.astype(str) if rng.random() < 0.5 else qid, [f"d{i}" for i in range(n)]))
    elif kind == 1:
        frame = pd.DataFrame({"label": y, "qid": qid, "a": X[:, 0], "b": X[:, 1]}).sort_values("b")
        frame.to_parquet(path, compression=[None, "snappy", "gzip", "zstd"][rng.integers(4)])
    else:
        columns = {"label": y.astype(np.int8), "qid": [f"é{q}" for q in qid], "a": X[:, 0].astype(np.float32)}
        pq.write_table(pa.table(columns), path, use_dictionary=bool(rng.random() < 0.5), data_page_size=64)
    return path.read_bytes()


def check(rng: np.random.Generator, path: Path) -> None:
    content = content_of(rng, path)
    half = len(content) - FOOTER - int.from_bytes(content[-8:-4], "little")  # where the metadata starts
    if rng.random() < 0.3:
        content = content[:half] + mutated(rng, content[half:-FOOTER], 1) + content[-FOOTER:]
    else:
        content = mutated(rng, content, int(rng.integers(1, 4)))
    path.write_bytes(content)
    with warnings.catch_warnings(), refuses_in_one_sentence(path):
        warnings.simplefilter("ignore", InputWarning)
        data = read_parquet(path, max_size=2**30)
        assert data.X.shape == (len(data.y), len(data.feature_names))


def check_pages(rng: np.random.Generator, path: Path) -> None:
    """Values that are changed are seen by the checksums of the pages, in files that we wrote."""
    n = int(rng.integers(1, 60))
    data = RankingData(rng.random((n, 3)), rng.integers(3, size=n), rng.integers(5, size=n))
    write_parquet(path, data)
    content = path.read_bytes()
    half = len(content) - FOOTER - int.from_bytes(content[-8:-4], "little")
    at = int(rng.integers(4, half))
    path.write_bytes(content[:at] + bytes([content[at] ^ 1 << int(rng.integers(8))]) + content[at + 1 :])
    with refuses_in_one_sentence(path):
        again = read_parquet(path)
        assert again.X.tolist() == data.X.tolist() and again.y.tolist() == data.y.tolist()
        assert again.qid.tolist() == data.qid.tolist()


def check_bits(rng: np.random.Generator, path: Path) -> None:
    """A bit of the file that is flipped, in the footer mostly, changes nothing or is an error, in files that we wrote."""
    n = int(rng.integers(1, 9))
    qid = rng.integers(3, size=n)
    X, y = rng.random((n, 2)), rng.integers(3, size=n)
    data = RankingData(X, y, qid if rng.random() < 0.5 else qid.astype(str), ["d"] * n)
    write_parquet(path, data)
    content = path.read_bytes()
    half = len(content) - FOOTER - int.from_bytes(content[-8:-4], "little")
    for _ in range(20):
        at = int(rng.integers(half - 100, len(content)))
        path.write_bytes(content[:at] + bytes([content[at] ^ 1 << int(rng.integers(8))]) + content[at + 1 :])
        with refuses_in_one_sentence(path):
            again = read_parquet(path)
            assert again.X.tolist() == data.X.tolist() and again.y.tolist() == data.y.tolist()
            assert again.qid.tolist() == data.qid.tolist() and again.docno.tolist() == data.docno.tolist()
            assert again.feature_names == ["f1", "f2"]


def test_damaged_files(fuzz, tmp_path: Path) -> None:
    fuzz(lambda rng: check(rng, tmp_path / "x.parquet"), cases=400)


def test_damaged_values(fuzz, tmp_path: Path) -> None:
    fuzz(lambda rng: check_pages(rng, tmp_path / "x.parquet"), cases=300)


def test_damaged_bits(fuzz, tmp_path: Path) -> None:
    fuzz(lambda rng: check_bits(rng, tmp_path / "x.parquet"), cases=30)

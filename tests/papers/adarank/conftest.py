"""Tiny data for AdaRank's experiments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from adarank_data import PARTS, part, write_folds

from directrank.papers import Rows
from directrank.papers.adarank.letor_ohsumed import read_letor_ohsumed


@pytest.fixture
def letor_folder(tmp_path: Path) -> Path:
    return write_folds(tmp_path / "OHSUMED", [part(i) for i in range(PARTS)])


@pytest.fixture
def letor(letor_folder: Path):
    return read_letor_ohsumed(letor_folder)


WORDS = ["alpha", "beta", "gamma", "delta", "omega", "sigma"]


@pytest.fixture
def text_folder(tmp_path: Path) -> Path:
    """Sixty documents, six queries of two words each with 30 judgments; only 9 documents are relevant to q5."""
    random = np.random.default_rng(0)
    folder = tmp_path / "texts"
    (folder / "documents").mkdir(parents=True)
    words = [random.choice([*WORDS, *"vwxyz" * 4], size) for size in random.integers(6, 40, 60)]
    lines = [f"d{i}\t{' '.join(mine)}\n" for i, mine in enumerate(words)]
    (folder / "documents" / "a.tsv").write_text("".join(lines[:30]))
    (folder / "documents" / "b.tsv").write_text("".join(lines[30:]))
    queries = [f"q{q}\t{word} {WORDS[q - 1]}\n" for q, word in enumerate(WORDS)]
    (folder / "topics.1").write_text("".join(queries[:3]))
    (folder / "topics.2").write_text("".join(queries[3:]))
    counts = np.array([[np.sum((mine == word) | (mine == WORDS[q - 1])) for mine in words] for q, word in enumerate(WORDS)])
    best = np.argsort(-counts + 2 * random.random(counts.shape), axis=1)
    judged = [(q, d, place < (9 if q == 5 else 10)) for q in range(6) for place, d in enumerate(best[q][:30].tolist())]
    (folder / "qrels.txt").write_text(
        "".join(f"q{q} 0 d{d} {int(relevant)}\n" for q, d, relevant in judged) + "q0 0 elsewhere 1\nq9 0 d1 1\n"
    )
    return folder


@pytest.fixture
def rows(tmp_path: Path) -> Rows:
    return Rows(tmp_path / "rows.jsonl")

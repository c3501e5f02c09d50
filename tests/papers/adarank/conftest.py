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


@pytest.fixture
def gov_folder(text_folder: Path) -> Path:
    """The same documents with titles as topics, links, URLs, and a run of 20 documents for each query."""
    random = np.random.default_rng(1)
    topics = [line.split("\t") for path in sorted(text_folder.glob("topics.*")) for line in path.read_text().splitlines()]
    for path in text_folder.glob("topics.*"):
        path.unlink()
    (text_folder / "topics.txt").write_text(
        "".join(f"<top>\n<num> Number: {qid}\n<title> {title}\n<desc> Description: no\n</top>\n" for qid, title in topics)
    )
    ends = random.integers(0, 60, (200, 2)).tolist()
    (text_folder / "links.txt").write_text("".join(f"d{source} d{target}\n" for source, target in ends))
    (text_folder / "urls.txt").write_text("".join(f"d{i} http://host{i % 5}.gov/{i % 3}/{i}.html\n" for i in range(60)))
    judged = [line.split() for line in (text_folder / "qrels.txt").read_text().splitlines() if "elsewhere" not in line]
    found = [(q, d, random.random()) for q, _, d, grade in judged if int(grade) or random.random() < 0.5]
    (text_folder / "msra1000.run").write_text("".join(f"{q} Q0 {d} 1 {score} msra\n" for q, d, score in found))
    return text_folder

"""Small collections as files."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

WORDS = ["wing", "flow", "heat", "shock", "plate", "layer", "speed", "drag", "lift", "tube", "cone", "jet"]


@pytest.fixture(scope="session")
def runs_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four runs of 20 queries, one with few documents; one relevant document of each query is in no run."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "runs").mkdir()
    random, judged, runs = np.random.default_rng(0), [], {"good": [], "fair": [], "bad": [], "short": []}
    for query in range(1, 21):
        relevant = random.random(40) < 0.2
        relevant[:2] = True
        judged += [f"{query} 0 d{i} {int(r)}" for i, r in enumerate(relevant)]
        for (name, lines), noise in zip(runs.items(), (0.5, 1.0, 3.0, 0.5), strict=True):
            scores = relevant + noise * random.standard_normal(40)
            found = range(1, 40) if name != "short" else range(1, 8)
            lines += [f"{query} Q0 d{i} 0 {scores[i]} {name}" for i in found]
    (folder / "qrels.robust.txt").write_text("\n".join(judged) + "\n")
    (folder / "README").write_text("not a run\n")
    for name, lines in runs.items():
        content = ("\n".join(lines) + "\n").encode()
        (folder / "runs" / f"{name}.gz").write_bytes(gzip.compress(content))
    return folder


@pytest.fixture(scope="session")
def text_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents and topics in TREC's formats; only descriptions are informative."""
    folder = tmp_path_factory.mktemp("text")
    (folder / "documents").mkdir()
    random = np.random.default_rng(0)
    texts = [" ".join(random.choice(WORDS, 12)) for _ in range(60)]
    documents = [f"<DOC>\n<DOCNO> d{i} </DOCNO>\n<TEXT>\n{text}\n</TEXT>\n</DOC>\n" for i, text in enumerate(texts)]
    (folder / "documents" / "part1").write_text("".join(documents[:30]))
    (folder / "documents" / "part2").write_text("".join(documents[30:]))
    topics, judged = [], []
    for query in range(401, 421):
        asked = random.choice(WORDS, 2, replace=False)
        description = f"<desc> Description:\n{' '.join(asked)}\n<narr> Narrative:\nnothing\n</top>\n"
        topics.append(f"<top>\n<num> Number: {query}\n<title> nothing\n{description}")
        judged += [f"{query} 0 d{i} {int(all(text.count(w) > 1 for w in asked))}" for i, text in enumerate(texts)]
    (folder / "topics.401-420").write_text("".join(topics))
    (folder / "qrels").write_text("\n".join(judged) + "\n")
    return folder

"""Tiny data in LETOR's layout for AdaRank's experiments."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from directrank.data import RankingData, write_letor

PARTS, QUERIES, DOCUMENTS, FEATURES = 5, 2, 15, 45


def part(number: int, n_features: int = FEATURES) -> RankingData:
    random = np.random.default_rng(number)
    y = np.tile([2, 2, 1, 1, 1] + [0] * (DOCUMENTS - 5), QUERIES)
    X = random.random((y.size, n_features)) + 0.4 * y[:, None] * random.random(n_features)
    qid = np.repeat(np.arange(QUERIES) + 10 * number, DOCUMENTS)
    return RankingData(X, y, qid)


def write_folds(folder: Path, parts: list[RankingData]) -> Path:
    for fold in range(len(parts)):
        for role, name in enumerate(("train", "vali", "test")):
            file = folder / f"Fold{fold + 1}" / f"{name}.txt"
            file.parent.mkdir(parents=True, exist_ok=True)
            write_letor(file, parts[(fold + role) % len(parts)])
    return folder

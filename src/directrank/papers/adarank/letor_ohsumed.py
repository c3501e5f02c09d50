"""OHSUMED in LETOR 3.0: features instead of texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...data import InputError, RankingData
from ...retrieval import BM25
from ..experiment import Source
from ..folders import read_folds
from .collection import Collection

#: LETOR 3.0 has 15 features each for title, abstract and both; BM25 is the eleventh, its logarithm the twelfth.
N_FEATURES, BM25_FEATURE = 45, 41


def read_letor_ohsumed(folder: Path) -> Collection:
    """Read all queries; each is in the test part of one fold."""
    parts = [fold.test for fold in read_folds(folder, LETOR)]
    if any(part.n_features != N_FEATURES for part in parts):
        raise InputError(
            f"{folder}: there are {parts[0].n_features} features; only OHSUMED of LETOR 3.0, with {N_FEATURES} features, is "
            "supported, where the feature of BM25 is known"
        )
    queries = [qid for part in parts for qid in part.by_query().ids.tolist()]
    if len(set(queries)) < len(queries):
        raise InputError(f"{folder}: test parts of two folds share queries; use LETOR's original folds")
    data = RankingData(
        np.concatenate([part.X for part in parts]),
        np.concatenate([part.y for part in parts]),
        np.concatenate([part.qid for part in parts]),
    )
    return Collection(
        data,
        bm25=lambda _: data.X[:, BM25_FEATURE - 1],
        features=lambda _: data,
        settings=(BM25(),),
        sizes={},
        relevant=2,
        about_bm25=f"BM25 is LETOR's feature {BM25_FEATURE} (title and abstract); its parameters cannot be tuned.",
    )


LETOR = Source(
    "letor",
    "Fold1 to Fold5, each with train, vali and test files",
    "OHSUMED of LETOR 3.0 (the version with features normalised by query), Microsoft Research",
    read_letor_ohsumed,
)

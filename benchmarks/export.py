"""Exports of 1,000 trees of 31 leaves, against LightGBM's own text format."""

from __future__ import annotations

import lightgbm as lgb
import numpy as np

from directrank.models import TreesModel
from directrank.models.export import TARGETS

from .timing import Result, best_of

N_TREES, MAX_SECONDS = 1000, 2.0


def run() -> list[Result]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 46))
    parameters = {"objective": "l2", "num_leaves": 31, "verbosity": -1, "num_threads": 2}
    booster = lgb.train(parameters, lgb.Dataset(X, X[:, :5].sum(axis=1) + rng.normal(size=5000)), N_TREES)
    model = TreesModel.from_lightgbm(booster.model_to_string(), N_TREES)
    peer = best_of(3, booster.model_to_string)
    return [_export(name, model, peer) for name in TARGETS]


def _export(name: str, model: TreesModel, peer: float) -> Result:
    seconds = best_of(2, lambda: TARGETS[name].write(model, {}))
    return Result(
        f"export 1,000 trees x 31 leaves to {name}",
        f"{seconds:.2f} s",
        f"LightGBM's model_to_string {peer:.2f} s",
        f"{seconds / peer:.1f} times that",
        "at most 2 s",
        seconds <= MAX_SECONDS,
    )

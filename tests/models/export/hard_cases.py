"""Models and rows on which exports go wrong: values on and beside thresholds, missing ones, tiny and huge ones."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import lightgbm as lgb
import numpy as np

from directrank.models import LinearModel, StumpsModel, SumOfModels, SumOverGrades, Tree, TreesModel
from directrank.models.trees.tree import NAN, NO_MISSING, ZERO_THRESHOLD as TINY

NAMES = ("bm25", "clicks", "age", "price", "rating")
WIDTH = len(NAMES)


def trees(missing: str = "NaN", n_trees: int = 20, leaves: int = 15, seed: int = 0) -> TreesModel:
    """LightGBM's trees on features with few and many values, tiny ones and, with ``missing="NaN"``, missing ones.

    Their leaves are integers, so that sums are exact in single precision: a row is right if its score is the same number.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(3000, WIDTH))
    X[:, 1] = rng.integers(0, 4, 3000)
    X[:, 2] = rng.choice([0.0, 1e-36, -1e-36, 1e-34, -1e-34, 0.1, -0.1], 3000)
    X[:, 3] = rng.choice([1e-3, 1.0, 16.5, 40.0, 1e6, 3e38], 3000) * rng.uniform(0.5, 1, 3000)
    y = X[:, 0] * (X[:, 1] > 1) + 3 * (X[:, 2] > 0) - np.log(X[:, 3]) * 0.1 + np.abs(X[:, 4])
    if missing == "NaN":
        X[rng.random(X.shape) < 0.15] = np.nan
        y = y + np.isnan(X[:, 0]) * 2
    parameters = {"objective": "l2", "num_leaves": leaves, "min_data_in_leaf": 3, "verbosity": -1, "num_threads": 1}
    booster = lgb.train(parameters | {"seed": seed}, lgb.Dataset(X, y), n_trees)
    model = TreesModel.from_lightgbm(booster.model_to_string(), n_trees).with_feature_names(NAMES)
    return replace(
        model, trees=tuple(replace(tree, leaf_value=_integers(tree.leaf_value.size, rng)) for tree in model.trees)
    )


def stumps(seed: int = 0, size: int = 40) -> StumpsModel:
    rng = np.random.default_rng(seed)
    thresholds = np.concatenate((rng.normal(size=size - 4), [0.0, 1e-36, -1e-36, 1e300]))
    features = rng.integers(0, WIDTH, size)
    return StumpsModel(features, thresholds, _integers(size, rng), WIDTH, feature_names=NAMES)


def linear(seed: int = 0, intercept: float = 0.0) -> LinearModel:
    coef = np.random.default_rng(seed).integers(-8, 9, WIDTH).astype(float)
    coef[2] = 0
    return LinearModel(coef, intercept, feature_names=NAMES)


def sum_over_grades() -> SumOverGrades:
    return SumOverGrades(np.array([1.0, 2.0]), [linear(1), linear(2)], feature_names=NAMES)


def sum_of_models() -> SumOfModels:
    """Its linear parts are one weighted sum, with integers for weights."""
    return SumOfModels(np.array([1.0, 2.0, -3.0]), [linear(1), linear(2), linear(1)], feature_names=NAMES)


def linear_start(missing: str = "NaN", n_trees: int = 20) -> TreesModel:
    """Trees after a weighted sum, as LambdaMART(init=RankSVM()) makes them."""
    start = LinearModel(np.array([2.0, 0.0, -0.5, 0.0, 8.0]), 3.0)
    return trees(missing, n_trees).after(TreesModel.from_portable(start.portable()))


def sum_with_linear_part() -> SumOfModels:
    """A weighted sum beside stumps, which tell tiny values apart."""
    return SumOfModels(np.array([2.0, 1.0]), [linear(1), stumps()], feature_names=NAMES)


def linear_of(kind: str, intercept: float = 0.0) -> LinearModel:
    """Weights of "logarithms", constants for "missing" values, or "both"; whole numbers, but for a weight of tiny values."""
    weights, constants = np.array([2.0, -3.0, 0.0, 1e6, 0.5]), np.array([0.0, -1.0, 0.5, 4.0, 2.0])
    logs = np.array([1, 3]) if kind != "missing" else np.empty(0, np.int64)
    if_missing = constants if kind != "logarithms" else None
    return LinearModel(weights, intercept, log_features=logs, if_missing=if_missing, feature_names=NAMES)


def trees_after(start: LinearModel) -> TreesModel:
    """Trees after a linear model of any kind."""
    return trees().after(TreesModel.from_portable(start.with_feature_names(None).portable()))


def wide_range(n_rows: int = 400, missing: float = 0.15, seed: int = 0, lowest: float = -1.0) -> Any:
    """Values of magnitudes from 1e-12 to 1e8 and of both signs, 0 and missing ones, in single precision."""
    rng = np.random.default_rng(seed)
    X = (rng.choice([lowest, 1.0], (n_rows, WIDTH)) * 10 ** rng.uniform(-12, 8, (n_rows, WIDTH))).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = 0.0
    X[rng.random(X.shape) < missing] = np.nan
    return X


def defined_scores(model: LinearModel, X: Any) -> tuple[Any, Any]:
    """The scores of a linear model by its definition, and the sum of the magnitudes of their terms."""
    if_missing = np.zeros(model.n_features) if model.if_missing is None else model.if_missing
    terms = np.zeros(X.shape)
    for i, row in enumerate(X.astype(np.float64).tolist()):
        for j, x in enumerate(row):
            value = math.copysign(math.log1p(abs(x)), x) if j in model.log_features else x
            terms[i, j] = if_missing[j] if math.isnan(x) else model.coef[j] * value
    return model.intercept + terms.sum(axis=1), abs(model.intercept) + np.abs(terms).sum(axis=1)


def moderate(X: Any) -> Any:
    """Rows whose weighted sums do not drown the integers of the leaves in single precision."""
    return np.where(np.abs(X) > 100, np.float32(100), X)


def rows_beside_thresholds(model: Any, n_rows: int = 4000, missing: float = 0.1, seed: int = 0) -> Any:
    """Rows of single precision whose values stand on the thresholds of a model, or one number beside them."""
    rng = np.random.default_rng(seed)
    columns = []
    for column in range(model.n_features):
        found = np.clip(thresholds_of(model, column), -3e38, 3e38).astype(np.float32)
        values = np.concatenate((found, [0.0, -0.0, 1e-36, -1e-36, 1e-35, -1e-35, 3.4e38])).astype(np.float32)
        sides = (values, np.nextafter(values, np.float32(np.inf)), np.nextafter(values, np.float32(-np.inf)))
        columns.append(rng.choice(np.concatenate(sides), n_rows))
    X = np.stack(columns, axis=1)
    X[~np.isfinite(X)] = 1.0
    X[rng.random(X.shape) < missing] = np.nan
    return X


def thresholds_of(model: Any, column: int) -> Any:
    """Thresholds of one feature."""
    if isinstance(model, SumOfModels):
        return np.concatenate([thresholds_of(part, column) for part in model.models])
    if isinstance(model, TreesModel):
        return np.concatenate([tree.threshold[tree.feature == column] for tree in model.trees])
    return model.thresholds[model.features == column] if isinstance(model, StumpsModel) else np.array([0.5, 1.5])


def expected(model: Any, X: Any) -> Any:
    """The model's own scores; models that refuse missing values take them for 0 once exported."""
    return model.predict(X if model.allows_missing else np.nan_to_num(X, nan=0.0))


def _integers(size: int, rng: Any) -> Any:
    return rng.permutation(np.arange(1, size + 1)).astype(float) - size // 2


def random_trees(seed: int) -> TreesModel:
    """Trees of any shape with thresholds of any kind, single leaves among them."""
    rng = np.random.default_rng(seed)
    grown = tuple(random_tree(int(rng.integers(0, 12)), rng) for _ in range(rng.integers(1, 6)))
    if not any(tree.n_splits for tree in grown):
        grown += (random_tree(3, rng),)
    return TreesModel(grown, WIDTH, feature_names=NAMES)


def random_tree(n_splits: int, rng: Any) -> Tree:
    special = [0.0, -0.0, TINY, -TINY, 1e-36, -1e-36, 1e-6, 0.1, -0.1, float(np.float32(0.1)), 1.0, -1.0, 16.0, 40.5, 1e300]
    left, right = np.zeros((2, n_splits), np.int64)
    ends = [] if n_splits == 0 else [(left, 0), (right, 0)]
    for split in range(1, n_splits):
        side, parent = ends.pop(rng.integers(len(ends)))
        side[parent] = split
        ends += [(left, split), (right, split)]
    for leaf, (side, parent) in enumerate(ends):
        side[parent] = ~leaf
    n_leaves = n_splits + 1
    return Tree(
        feature=rng.integers(0, WIDTH, n_splits),
        threshold=rng.choice([*special, *rng.normal(size=5)], n_splits).astype(np.float64),
        left=left,
        right=right,
        missing=rng.choice([NO_MISSING, NAN], n_splits),
        default_left=rng.random(n_splits) < 0.5,
        leaf_value=_integers(n_leaves, rng),
        gain=np.zeros(n_splits),
        value=np.zeros(n_splits),
        weight=np.zeros(n_splits),
        count=np.zeros(n_splits, np.int64),
        leaf_weight=np.zeros(n_leaves),
        leaf_count=np.zeros(n_leaves, np.int64),
    )

"""What LambdaMART asks of LightGBM: data sets, parameters by name, and errors in our words."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import lightgbm as lgb
import numpy as np
from scipy import sparse

from ...data import InputError
from ..shards import Shards
from ..task import Task

#: LightGBM's parameters that LambdaMART sets, and what to do instead.
_SET_BY_US = {
    "num_iterations": "use n_estimators",
    "learning_rate": "use learning_rate",
    "num_leaves": "use num_leaves",
    "seed": "use random_state",
    "early_stopping_round": "use early_stopping_rounds",
    "objective": "the measure is the objective",
    "metric": "the measure is what is validated by",
    "num_class": "a document has one score",
}


def dataset(shards: Shards, **settings: Any) -> lgb.Dataset:
    """The rows of all shards, one after another."""
    parts = shards.each(_rows)
    labels = np.concatenate([label for _, label in parts])
    matrices = [X for X, _ in parts]
    if len(matrices) == 1:
        return lgb.Dataset(matrices[0], label=labels, **settings)
    return lgb.Dataset(sparse.vstack(matrices) if sparse.issparse(matrices[0]) else matrices, label=labels, **settings)


def boosting_type(given: dict[str, Any]) -> str:
    return str(given.get("boosting", given.get("boosting_type", given.get("boost", "gbdt"))))


def categorical_features(given: Any, names: list[str]) -> list[int]:
    """The categorical features that a user names, as LightGBM takes them: a list of numbers."""
    parts = given.split(",") if isinstance(given, str) else np.atleast_1d(given).tolist()
    try:
        return [names.index(part) if part in names else int(part) for part in parts]
    except ValueError as error:
        raise InputError(f"categorical_feature must be numbers or names of features, not {given!r}") from error


def check_name(name: str, own_names: list[str]) -> None:
    """That a parameter is one of LightGBM's which we do not set ourselves."""
    aliases = lgb.basic._ConfigAliases._get_all_param_aliases()
    for main, others in aliases.items():
        if name in (main, *others):
            if main in _SET_BY_US:
                raise InputError(f"LambdaMART has no parameter {name!r}; {_SET_BY_US[main]}")
            return
    close = difflib.get_close_matches(name, [*aliases, *own_names], 1)
    raise InputError(
        f"neither LambdaMART nor LightGBM has a parameter {name!r}" + (f"; did you mean {close[0]}?" if close else "")
    )


@contextmanager
def lightgbm_errors_as_input_errors() -> Iterator[None]:
    """What LightGBM refuses, in our words: bad input."""
    try:
        yield
    except lgb.basic.LightGBMError as error:
        raise InputError(f"LightGBM: {str(error).strip()}") from error


def _rows(task: Task) -> tuple[Any, Any]:
    X = sparse.csr_matrix(task.X) if sparse.issparse(task.X) else task.X  # LightGBM knows no sparse arrays
    return X, task.queries.to_row_order(task.bound.grades)

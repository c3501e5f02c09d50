"""Checks of LambdaMART's own parameters."""

from __future__ import annotations

from typing import Any

from ...data import InputError
from ..core.validation import check_bool, check_fraction, check_int, check_non_negative, check_positive, check_watched
from .auto_params import AUTO, MAX_SEEDS
from .params import boosting_type, check_seeds, is_random
from .sampling import sampling_params


def check_own(own: dict[str, Any], given: dict[str, Any], has_validation: bool) -> None:
    """Check the parameters of the constructor, other than `measure`, `guide`, `init` and `lightgbm`.

    Parameters
    ----------
    own : dict
        Parameters by LambdaMART's names.
    given : dict
        Those that LightGBM has and those of `lightgbm`, by LightGBM's names.
    has_validation : bool
    """
    _check_trees(own)
    check_positive(own["sigma"], "sigma")
    check_bool(own["normalize"], "normalize")
    if not check_non_negative(own["guide_share"], "guide_share") < 1:
        raise InputError(f"guide_share must be at least 0 and below 1, not {own['guide_share']!r}")
    _check_rounds(own, given, has_validation)
    _check_n_seeds(own, given)


def _check_trees(own: dict[str, Any]) -> None:
    if own["learning_rate"] != AUTO:
        check_positive(own["learning_rate"], "learning_rate")
    if own["num_leaves"] != AUTO:
        check_int(own["num_leaves"], "num_leaves", 2)
    check_int(own["max_depth"], "max_depth", -1)
    check_int(own["min_child_samples"], "min_child_samples", 0)
    check_fraction(own["colsample_bytree"], "colsample_bytree")
    check_non_negative(own["reg_lambda"], "reg_lambda")
    if own["extra_trees"] != AUTO:
        check_bool(own["extra_trees"], "extra_trees")


def _check_rounds(own: dict[str, Any], given: dict[str, Any], has_validation: bool) -> None:
    if own["n_estimators"] is not None:
        check_int(own["n_estimators"], "n_estimators")
    if own["early_stopping_rounds"] is not None:
        check_int(own["early_stopping_rounds"], "early_stopping_rounds")
        check_watched(has_validation)
        if boosting_type(given) == "dart":
            raise InputError("early_stopping_rounds needs trees that stay as they are (not dart); leave it out")


def _check_n_seeds(own: dict[str, Any], given: dict[str, Any]) -> None:
    n_seeds = MAX_SEEDS if own["n_seeds"] == AUTO else check_int(own["n_seeds"], "n_seeds")
    check_seeds(given, own["random_state"], n_seeds)
    samples_queries = sampling_params(given, 0) is not None
    is_auto = AUTO in (own["n_seeds"], own["extra_trees"])
    if n_seeds > 1 and not (is_auto or samples_queries or is_random(given)):
        raise InputError(
            f"n_seeds={n_seeds} would grow the same trees {n_seeds} times, as nothing is random; set "
            "extra_trees=True, or sample queries (bagging_fraction, bagging_freq) or features (colsample_bytree)"
        )

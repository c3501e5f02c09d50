"""LightGBM's parameters: which ones LambdaMART takes, and what LightGBM gets."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from typing import Any, NamedTuple, ParamSpec

import numpy as np

from ...data import InputError
from ...models.trees.tree import MAX_DEPTH
from ..core.content_keys import mixed
from ..core.validation import RandomState, check_int, check_random_state
from .feature_params import FeatureParams
from .param_names import aliases, main_name, param_value

#: LightGBM's names of the parameters that LambdaMART has itself.
NAMED = {
    "learning_rate": "learning_rate",
    "num_leaves": "num_leaves",
    "max_depth": "max_depth",
    "min_child_samples": "min_data_in_leaf",
    "colsample_bytree": "feature_fraction",
    "reg_lambda": "lambda_l2",
    "extra_trees": "extra_trees",
}

#: Parameters of LambdaMART that take the place of LightGBM's.
_OWN = {theirs: ours for ours, theirs in NAMED.items()} | {
    "num_iterations": "n_estimators",
    "seed": "random_state",
    "early_stopping_round": "early_stopping_rounds",
    "sigmoid": "sigma",
}

#: LightGBM's parameters that `lightgbm` does not take, and what to do instead.
_NOT_TAKEN = {
    "objective": "the measure is the objective",
    "metric": "the measure is the validation metric",
    "num_class": "a document has one score",
    "lambdarank_truncation_level": "the measure's cut-off takes its place: nDCG@10",
    "label_gain": "nDCG has the parameter gain: nDCG(gain=linear)",
    "eval_at": "the measure's cut-off takes its place: nDCG@10",
    "group_column": "give qid to fit",
    "bagging_by_query": "bagging_fraction samples queries",
    "force_row_wise": "histograms are built by column, so that the trees do not depend on the number of threads",
    "tree_learner": "on a cluster it is LightGBM's data-parallel one",
}
_OBJECTIVE_PARAMS = """
    lambdarank_norm lambdarank_position_bias_regularization objective_seed is_unbalance scale_pos_weight boost_from_average
    reg_sqrt alpha fair_c poisson_max_delta_step tweedie_variance_power pos_bagging_fraction neg_bagging_fraction
"""
_METRIC_PARAMS = """
    first_metric_only multi_error_top_k auc_mu_weights metric_freq is_provide_training_metric early_stopping_min_delta
"""
_COMMAND_PARAMS = """
    task data valid input_model output_model output_result convert_model convert_model_language save_binary snapshot_freq
    header label_column weight_column ignore_column initscore_filename two_round machines machine_list_filename num_machines
    local_listen_port time_out start_iteration_predict num_iteration_predict predict_raw_score predict_leaf_index
    predict_contrib predict_disable_shape_check pred_early_stop pred_early_stop_freq pred_early_stop_margin
"""
_NOT_TAKEN |= dict.fromkeys(_COMMAND_PARAMS.split(), "it belongs to LightGBM's own command, its files and its network")
_NOT_TAKEN |= dict.fromkeys(
    _OBJECTIVE_PARAMS.split(), "it belongs to LightGBM's own objectives; the measure is the objective"
)
_NOT_TAKEN |= dict.fromkeys(
    _METRIC_PARAMS.split(), "it belongs to LightGBM's own metrics; the measure is the validation metric"
)

#: Parameters of the samples of queries, which are drawn outside LightGBM; see `sampling`.
_SAMPLING_PARAMS = ("bagging_fraction", "bagging_freq", "bagging_seed")

#: LightGBM's seeds, and its sampling rates of features.
_SEEDS = ("extra_seed", "feature_fraction_seed", "drop_seed")
_FEATURE_RATES = ("feature_fraction", "feature_fraction_bynode")

_MAX_SEED = 2**31 - 1

P = ParamSpec("P")


class BoosterParams(NamedTuple):
    """Parameters of the boosters of one training.

    Attributes
    ----------
    given : dict
        Parameters by LightGBM's names.
    n_seeds : int
        Number of boosters.
    alternates : bool
        Whether every other booster, from the first one on, has random thresholds.
    starts : tuple of bool
        Whether each booster starts from a linear ranker.
    """

    given: dict[str, Any]
    n_seeds: int
    alternates: bool = False
    starts: tuple[bool, ...] = ()


@dataclass(frozen=True)
class TreeParams:
    """LightGBM's parameters of one training.

    Attributes
    ----------
    boosters : BoosterParams
    seed : int
        Seed of the first booster; the following ones count up from it.
    features : FeatureParams
    """

    boosters: BoosterParams
    seed: int
    features: FeatureParams

    @property
    def given(self) -> dict[str, Any]:
        """Parameters of the constructor and of `lightgbm`, by LightGBM's names."""
        return self.boosters.given

    @property
    def n_seeds(self) -> int:
        return self.boosters.n_seeds

    @property
    def is_dart(self) -> bool:
        return boosting_type(self.given) == "dart"

    @property
    def categorical_feature(self) -> list[int]:
        return self.features.categorical_feature(param_value(self.given, "categorical_feature", "auto"))

    def for_dataset(self) -> dict[str, Any]:
        """Parameters that all boosters share."""
        theirs = {
            name: value
            for name, value in self.given.items()
            if main_name(name) not in ("categorical_feature", *_SAMPLING_PARAMS)
        }
        if theirs["num_leaves"] > MAX_DEPTH and theirs["max_depth"] <= 0:
            theirs["max_depth"] = MAX_DEPTH  # the limit of `TreesModel`
        return {
            **_thread_params(self.given),
            "objective": "none",
            "metric": "none",
            "verbosity": -1,
            "seed": self.seed,
            "deterministic": True,
            "force_col_wise": True,  # sums of histograms do not depend on the number of threads
            "feature_pre_filter": False,  # which would leave a small data set without features
            **self.features.resolve(theirs),
        }

    def for_booster(self, index: int) -> dict[str, Any]:
        """The same with the seeds of one booster."""
        own = {"extra_trees": index % 2 == 0} if self.boosters.alternates else {}
        return {**self.for_dataset(), **booster_seeds(self.given, self.seed, index), **own}


def check_lightgbm(given: Any, own_names: Sequence[str]) -> dict[str, Any]:
    """The constructor's `lightgbm` as a dict of parameters that LightGBM has and LambdaMART takes."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(f"lightgbm must be a dict of LightGBM's parameters, such as {{'max_bin': 63}}, not {given!r}")
    names: dict[str, str] = {}
    for name in given:
        main = main_name(name)
        if main is None:
            raise InputError(f"neither LambdaMART nor LightGBM has a parameter {name!r}{_did_you_mean(name, own_names)}")
        if main in _OWN:
            raise InputError(f"lightgbm does not take {name!r}; use LambdaMART({_OWN[main]}=...)")
        if main in _NOT_TAKEN:
            raise InputError(f"lightgbm does not take {name!r}; {_NOT_TAKEN[main]}")
        if names.setdefault(main, name) != name:
            raise InputError(f"lightgbm has {main} twice, as {names[main]!r} and {name!r}; give one of them")
    if boosting_type(dict(given)) in ("rf", "random_forest"):
        raise InputError("LightGBM grows a random forest for its own objectives only; choose another boosting")
    return dict(given)


def unknown_parameter(name: str, own_names: Sequence[str]) -> str:
    """Message for a keyword that is not a parameter of LambdaMART."""
    main = main_name(name)
    if main is None:
        advice = _did_you_mean(name, own_names)
    elif main in _OWN:
        advice = f"; use {_OWN[main]}"
    else:
        advice = f"; {_NOT_TAKEN.get(main, f'did you mean lightgbm={{{name!r}: ...}}?')}"
    return f"LambdaMART has no parameter {name!r}{advice}"


def hint_at_lightgbm(init: Callable[P, None]) -> Callable[P, None]:
    """Let an unknown keyword of a constructor fail with a hint at LightGBM's parameter of that name."""
    names = list(signature(init).parameters)

    @wraps(init)
    def checked(*args: P.args, **given: P.kwargs) -> None:
        for name in given:
            if name not in names:
                raise TypeError(unknown_parameter(name, names[1:]))
        init(*args, **given)

    return checked


def check_seeds(given: dict[str, Any], random_state: RandomState, n_seeds: int) -> None:
    """Check that all seeds, and those that count up from them, are within LightGBM's range."""
    check_random_state(random_state)
    booster_seeds(given, int(random_state) if isinstance(random_state, (int, np.integer)) else 0, n_seeds - 1)


def booster_seeds(given: dict[str, Any], seed: int, index: int) -> dict[str, int]:
    """LightGBM's seeds of one booster; explicitly given ones count up too."""
    named = {name: check_seed(value, name, index) for name, value in given.items() if main_name(name) in _SEEDS}
    return {"seed": check_seed(seed, "random_state", index), **named}


def check_seed(value: Any, name: str, index: int = 0) -> int:
    """Seed of the booster of some index, within LightGBM's range."""
    seed = check_int(value, name, 0) + index
    if seed > _MAX_SEED:
        raise InputError(f"{name} must be at most 2**31 - 1{', with n_seeds - 1 added' if index else ''}, not {value!r}")
    return seed


def reseeded(params: dict[str, Any], n_rounds: int) -> dict[str, Any]:
    """Parameters with new seeds, for a booster that continues after `n_rounds` rounds."""
    if n_rounds == 0:
        return params
    seeds = {name: value for name, value in params.items() if main_name(name) in (*_SEEDS, "seed")}
    keys = mixed(np.array([(value << 32) + n_rounds for value in seeds.values()], np.uint64))
    return params | {name: int(key % np.uint64(_MAX_SEED)) for name, key in zip(seeds, keys, strict=True)}


def uses_goss(given: dict[str, Any]) -> bool:
    """Whether LightGBM samples rows, by their gradients and their position."""
    return "goss" in (boosting_type(given), param_value(given, "data_sample_strategy", ""))


def is_random(given: dict[str, Any]) -> bool:
    """Whether LightGBM's trees depend on its seeds."""
    samples_features = any(param_value(given, name, 1.0) != 1 for name in _FEATURE_RATES)
    is_randomized = bool(param_value(given, "extra_trees", False)) or bool(param_value(given, "use_quantized_grad", False))
    return samples_features or is_randomized or uses_goss(given) or boosting_type(given) == "dart"


def boosting_type(given: dict[str, Any]) -> str:
    return str(param_value(given, "boosting", "gbdt"))


def _did_you_mean(name: str, own_names: Sequence[str]) -> str:
    close = difflib.get_close_matches(str(name), [*aliases(), *own_names], 1)
    return f"; did you mean {close[0]}?" if close else ""


def _thread_params(given: dict[str, Any]) -> dict[str, Any]:
    """LightGBM's number of threads unless the user chooses it; an error for more than one where LightGBM would hang."""
    if not _is_forked:
        return {}
    wanted = [name for name in given if main_name(name) == "num_threads" and given[name] != 1]
    if wanted:
        raise InputError(
            f"{wanted[0]}={given[wanted[0]]}: this process was forked from one that had used directrank, where LightGBM can "
            "use one thread only; leave it out, or start processes with 'spawn'"
        )
    return {"num_threads": 1}


def _note_fork() -> None:
    global _is_forked
    _is_forked = True


#: Whether this process was forked: GNU's OpenMP waits forever for the threads of the parent.
_is_forked = False
if sys.platform == "linux":
    os.register_at_fork(after_in_child=_note_fork)

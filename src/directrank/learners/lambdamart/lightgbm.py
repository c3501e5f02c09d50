"""What LambdaMART asks of LightGBM: data sets, parameters by name, and errors in our words."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import lightgbm as lgb
import numpy as np
from scipy import sparse

from ...data import InputError
from ..core.content_keys import mixed
from ..core.shards import Shards
from ..core.task import Task
from ..core.validation import check_int

#: LightGBM's parameters that LambdaMART sets, and what to do instead.
_SET_BY_US = {
    "num_iterations": "use n_estimators",
    "learning_rate": "use learning_rate",
    "num_leaves": "use num_leaves",
    "extra_trees": "use extra_trees",
    "seed": "use random_state",
    "early_stopping_round": "use early_stopping_rounds",
    "objective": "the measure is the objective",
    "metric": "the measure is what is validated by",
    "num_class": "a document has one score",
    "lambdarank_truncation_level": "the measure's cut-off takes its place: nDCG@10",
    "label_gain": "nDCG has the parameter gain: nDCG(gain=linear)",
    "sigmoid": "use sigma",
    "eval_at": "the measure's cut-off takes its place: nDCG@10",
    "group_column": "give qid to fit",
    "bagging_by_query": "bagging_fraction samples queries",
    "tree_learner": "on a cluster it is LightGBM's data-parallel one",
}
_OF_OBJECTIVES = """
    lambdarank_norm lambdarank_position_bias_regularization objective_seed is_unbalance scale_pos_weight boost_from_average
    reg_sqrt alpha fair_c poisson_max_delta_step tweedie_variance_power pos_bagging_fraction neg_bagging_fraction
"""
_OF_METRICS = """
    first_metric_only multi_error_top_k auc_mu_weights metric_freq is_provide_training_metric early_stopping_min_delta
"""
_OF_FILES = """
    task data valid input_model output_model output_result convert_model convert_model_language save_binary snapshot_freq
    header label_column weight_column ignore_column initscore_filename two_round machines machine_list_filename num_machines
    local_listen_port time_out start_iteration_predict num_iteration_predict predict_raw_score predict_leaf_index
    predict_contrib predict_disable_shape_check pred_early_stop pred_early_stop_freq pred_early_stop_margin
"""
_SET_BY_US |= dict.fromkeys(_OF_FILES.split(), "it belongs to LightGBM's own command, its files and its network")
_SET_BY_US |= dict.fromkeys(_OF_OBJECTIVES.split(), "it belongs to LightGBM's own objectives; the measure is the objective")
_SET_BY_US |= dict.fromkeys(_OF_METRICS.split(), "it belongs to LightGBM's own metrics; the measure is what is validated by")

#: Those of the samples of queries, which are drawn here.
_OF_SAMPLES = ("bagging_fraction", "bagging_freq", "bagging_seed")

#: What else is random in growing trees: the seeds, and the shares of features that may be drawn.
_SEEDS = ("extra_seed", "feature_fraction_seed", "drop_seed")
_SHARES = ("feature_fraction", "feature_fraction_bynode")

_MAX_SEED = 2**31 - 1


def dataset(shards: Shards, in_query_order: bool = False, **settings: Any) -> lgb.Dataset:
    """The rows of all shards, one after another; within each as they are, or copied into query order."""
    parts = shards.each(_rows, in_query_order)
    labels = np.concatenate([label for _, label in parts])
    matrices = [X for X, _ in parts]
    if len(matrices) == 1:
        return lgb.Dataset(matrices[0], label=labels, **settings)
    return lgb.Dataset(sparse.vstack(matrices) if sparse.issparse(matrices[0]) else matrices, label=labels, **settings)


def has_splits(data: lgb.Dataset) -> bool:
    """Whether there is any feature to split on."""
    return any(data.feature_num_bin(j) > 1 for j in range(data.num_feature()))


def samples_by_gradient(given: dict[str, Any]) -> bool:
    """Whether LightGBM draws samples of the rows, by their gradients and their position."""
    return "goss" in (boosting_type(given), value_of(given, "data_sample_strategy", ""))


def handed_on(given: dict[str, Any]) -> dict[str, Any]:
    """What LightGBM gets of a user's parameters."""
    return {name: value for name, value in given.items() if main_name(name) not in ("categorical_feature", *_OF_SAMPLES)}


def is_random(given: dict[str, Any]) -> bool:
    """Whether seeds matter to LightGBM beyond its thresholds: features, rows or trees are drawn."""
    draws_features = any(value_of(given, name, 1.0) != 1 for name in _SHARES)
    is_rounding = bool(value_of(given, "use_quantized_grad", False))
    return draws_features or is_rounding or samples_by_gradient(given) or boosting_type(given) == "dart"


def seeds_of(given: dict[str, Any], seed: int, bag: int) -> dict[str, Any]:
    """LightGBM's seeds for a bag: those that a user gives differ from bag to bag too."""
    named = {name: check_seed(value, name, bag) for name, value in given.items() if main_name(name) in _SEEDS}
    return {"seed": check_seed(seed, "random_state", bag), **named}


def reseeded(settings: dict[str, Any], n_rounds: int) -> dict[str, Any]:
    """The same parameters with seeds for trees that are grown after so many rounds by a booster of their own."""
    if n_rounds == 0:
        return settings
    seeds = {name: value for name, value in settings.items() if main_name(name) in (*_SEEDS, "seed")}
    keys = mixed(np.array([(value << 32) + n_rounds for value in seeds.values()], np.uint64))
    return settings | {name: int(key % np.uint64(_MAX_SEED)) for name, key in zip(seeds, keys, strict=True)}


def draws_by_machine(settings: dict[str, Any]) -> bool:
    """Whether what a booster draws for a tree depends on how many machines grew the trees before.

    Thresholds are drawn for a feature by the machine that looks at it. Where features are drawn too, that is another one in
    each tree, and how often each machine has drawn before depends on their number.
    """
    return bool(value_of(settings, "extra_trees", False)) and value_of(settings, "feature_fraction", 1.0) != 1


def check_seed(value: Any, name: str, added: int = 0) -> int:
    """A seed as LightGBM takes it, with the number of a bag added."""
    seed = check_int(value, name, 0) + added
    if seed > _MAX_SEED:
        raise InputError(f"{name} must be at most 2**31 - 1{', with n_bags - 1 added' if added else ''}, not {value!r}")
    return seed


def value_of(given: dict[str, Any], wanted: str, default: Any) -> Any:
    """The value of a parameter that may have been given by one of its other names."""
    return next((value for name, value in given.items() if main_name(name) == wanted), default)


def boosting_type(given: dict[str, Any]) -> str:
    return str(value_of(given, "boosting", "gbdt"))


def check_name(name: str, own_names: list[str]) -> None:
    """That a parameter is one of LightGBM's which we do not set ourselves."""
    main = main_name(name)
    if main in _SET_BY_US:
        raise InputError(f"LambdaMART has no parameter {name!r}; {_SET_BY_US[main]}")
    if main is not None:
        return
    close = difflib.get_close_matches(name, [*_aliases(), *own_names], 1)
    raise InputError(
        f"neither LambdaMART nor LightGBM has a parameter {name!r}" + (f"; did you mean {close[0]}?" if close else "")
    )


def check_for_several_places(given: dict[str, Any]) -> None:
    """Refuse what LightGBM, or a training that may go on in other places, cannot do where rows are in several places."""
    refused = {
        "boosting='dart'": boosting_type(given) == "dart",  # it changes trees that have been sent away
        "goss": samples_by_gradient(given),
        "linear_tree": bool(value_of(given, "linear_tree", False)),
        "interaction_constraints": bool(value_of(given, "interaction_constraints", "")),
        "min_data_in_leaf=0": value_of(given, "min_data_in_leaf", 20) == 0,
    }
    for what, is_chosen in refused.items():
        if is_chosen:
            raise InputError(f"{what} is for rows in one place only, and these are on a cluster; leave it out")


def thread_settings(given: dict[str, Any]) -> dict[str, Any]:
    """LightGBM's number of threads where it is not the user's choice; several are refused where LightGBM would hang."""
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


#: Whether this process was forked: GNU's OpenMP waits for ever for threads that the parent had.
_is_forked = False
if sys.platform == "linux":
    os.register_at_fork(after_in_child=_note_fork)


@contextmanager
def lightgbm_errors_as_input_errors() -> Iterator[None]:
    """What LightGBM refuses, in our words: bad input."""
    try:
        yield
    except lgb.basic.LightGBMError as error:
        raise InputError(f"LightGBM: {str(error).split(' at /')[0].strip()}") from error


def main_name(name: str) -> str | None:
    """LightGBM's name for a parameter that may be an alias; None if it has no such parameter."""
    return next((main for main, others in _aliases().items() if name in (main, *others)), None)


def _aliases() -> dict[str, list[str]]:
    return lgb.basic._ConfigAliases._get_all_param_aliases()  # type: ignore[no-any-return]


def _rows(task: Task, in_query_order: bool) -> tuple[Any, Any]:
    X = sparse.csr_matrix(task.X) if sparse.issparse(task.X) else task.X  # LightGBM knows no sparse arrays
    if in_query_order:
        return X[task.queries.order], task.bound.grades
    return X, task.queries.to_row_order(task.bound.grades)

"""LambdaMART: boosted trees that follow the lambdas of a measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
import sklearn

from ...data import InputError
from ...measures import SupportsEvaluate, as_measure, name_of
from ...measures.naming import qualified_name_of
from ...models import Model, Provenance, TreesModel
from ..core.monitoring import TrainingMonitor
from ..core.ranker import Ranker
from ..core.shards import Shards
from ..core.validation import (
    RandomState,
    check_bool,
    check_fraction,
    check_int,
    check_non_negative,
    check_positive,
    check_watched,
    seed_from,
)
from ..core.warning import warn_learned_nothing
from ..core.watchlist import Watchlist
from ..search_space import Between, OneOf
from .boosters import LambdaObjective, lightgbm_errors_as_input_errors
from .boosting import RoundLimits, boost, make_ensemble
from .feature_params import FeatureParams
from .guide import resolve_guide, with_guide
from .init import check_init, init_value
from .params import (
    NAMED,
    TreeParams,
    boosting_type,
    check_lightgbm,
    check_seeds,
    hint_at_lightgbm,
    is_random,
    unknown_parameter,
)
from .sampling import sampling_params
from .tree_ranker import TreeRanker


class LambdaMART(TreeRanker):
    r"""LambdaMART (Burges 2010; for ROC areas Welleck 2015): LightGBM's trees, grown on the lambdas of a measure.

    For RR and Success@k, which depend on the first relevant document only, the trees follow a mix of the measure (20 %) and
    AP (80 %): see `guide`, which None switches off.

    Each round grows a tree on the gradient and the hessian of

    .. math:: \sum_{l_i > l_j} |\Delta_{ij}| \log(1 + e^{-\sigma (s_i - s_j)}),

    Delta being the change of the measure when documents i and j of a query swap ranks, at the present scores. LightGBM
    never hears of queries: none of its limits on their size, on grades or on the order of rows apply.

    The lambdas are multiplied by a constant that makes the mean hessian 1 where all scores are 0, so that the scale of a
    measure does not change which trees are grown: LightGBM's bounds on the hessian (``min_sum_hessian_in_leaf``,
    ``reg_lambda``) mean the same for all measures.

    Parameters
    ----------
    measure : name or measure
        AUC, MAUC, nDCG, nDCG@k, AP, RR, P@k, R@k, Success@k, Rprec, ERR, a weighted sum such as ``0.7*nDCG@10 + 0.3*AUC``;
        also any other that has `evaluate`, whose swaps are then evaluated one by one, slowly.
    n_estimators : int, optional
        Number of rounds, each a tree for each seed. By default 300 without an `eval_set`; with one, at most 2,000, and
        training stops when the measure on it has not risen for 100 rounds. DART has 300, and does not stop.
    learning_rate, num_leaves, max_depth, min_child_samples, colsample_bytree, reg_lambda
        As in `lightgbm.LGBMRanker`.
    extra_trees : bool
        Whether a split compares one random threshold of each feature rather than all (Geurts et al. 2006).
    sigma : float
        Steepness of the pairwise loss.
    guide : "auto", None, or a measure
        Measure of whole rankings that the trees follow too, where `measure` depends on a small part of a ranking. "auto"
        takes AP for measures of the first relevant document, RR and Success@k, and None for all others. Rounds are chosen
        by `measure` alone.
    guide_share : float
        Weight of the guide in the lambdas, at least 0 and below 1.
    n_seeds : int
        Number of boosters with different seeds, grown side by side. The model is the mean of their scores, as one sum of
        trees; their seeds are ``random_state``, ``random_state + 1`` and so on.
    init : ranker, optional
        Ranker whose scores the trees are added to, such as ``RankSVM()``: it is the first part of the model, and all of it
        if no round is better on the `eval_set`. An unfitted one is cloned and fitted on the same training data and
        `eval_set`; a fitted one stays as it is, but `clone` returns it unfitted.
    early_stopping_rounds : int, optional
        Stop when the measure on the `eval_set`, which it needs, has not risen for this many rounds, and keep the best round.
    lightgbm : dict, optional
        Further parameters of LightGBM: ``{"max_bin": 63, "num_threads": 1}``. ``monotone_constraints`` may be given by
        feature names, ``{"bm25": 1}``. ``bagging_fraction`` and ``bagging_freq`` sample whole queries (of a single query,
        its documents) by content, so that shuffled rows and renamed queries change nothing, and shards rounding only;
        ``min_child_samples`` also counts documents outside the sample. With ``boosting="dart"``, whose later rounds change
        earlier trees, `predict` uses all trees.
    random_state : int, Generator, RandomState or None
        Random seed for the trees and the samples. None and generators give another model in each fit.
    verbose : int
        Print progress every `verbose` rounds; 0 is silent.

    Attributes
    ----------
    booster_ : lightgbm.Booster
        The trees that `predict` uses. A linear `init` is the first of them, a tree of one linear leaf for each feature,
        which LightGBM's SHAP values leave out.
    best_iteration_ : int
        Number of rounds in the model: up to the best one on the `eval_set`, or all; 0 if `init` alone is better.
    best_score_, evals_result_
        See `Ranker`.
    categories_ : dict
        Categories of the categorical columns of the training frame.
    feature_importances_ : array
        Number of splits on each feature.
    history_ : list of Progress
        One entry for each round; `info` has the number of `trees`, of all seeds.

    Notes
    -----
    LightGBM gets the rows in an order that depends on their content. So do the samples that it takes by position: the rows
    of ``data_sample_strategy="goss"``, and, beyond ``bin_construct_sample_cnt`` (200,000) rows, the rows that bins are
    computed from. They depend on how rows are put in shards.

    Examples
    --------
    >>> from directrank.datasets import make_ranking
    >>> data = make_ranking(50, random_state=0)
    >>> model = LambdaMART("AUC", n_estimators=20).fit(data.X, data.y, data.qid)
    >>> bool(model.score(data.X, data.y, data.qid) > 0.8)
    True
    >>> LambdaMART("RR")
    LambdaMART(measure='RR', guide='auto' (0.8*AP))
    """

    #: Measure of the initial model on the `eval_set`.
    _init_value: float | None = None

    search_space = {
        "num_leaves": Between(4, 64, log=True),
        "min_child_samples": Between(5, 200, log=True),
        "learning_rate": Between(0.02, 0.2, log=True),
        "colsample_bytree": Between(0.3, 1.0),
        "reg_lambda": Between(0.01, 10.0, log=True),
        "extra_trees": OneOf((True, False)),
    }

    @hint_at_lightgbm
    def __init__(
        self,
        measure: str | type | SupportsEvaluate = "nDCG@10",
        *,
        n_estimators: int | None = None,
        learning_rate: float = 0.05,
        num_leaves: int = 15,
        max_depth: int = -1,
        min_child_samples: int = 20,
        colsample_bytree: float = 1.0,
        reg_lambda: float = 0.0,
        extra_trees: bool = True,
        sigma: float = 1.0,
        guide: str | type | SupportsEvaluate | None = "auto",
        guide_share: float = 0.8,
        n_seeds: int = 1,
        init: Ranker | None = None,
        early_stopping_rounds: int | None = None,
        lightgbm: Mapping[str, Any] | None = None,
        random_state: RandomState = 0,
        verbose: int = 0,
    ) -> None:
        self.measure = measure
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.num_leaves = num_leaves
        self.max_depth = max_depth
        self.min_child_samples = min_child_samples
        self.colsample_bytree = colsample_bytree
        self.reg_lambda = reg_lambda
        self.extra_trees = extra_trees
        self.sigma = sigma
        self.guide = guide
        self.guide_share = guide_share
        self.n_seeds = n_seeds
        self.init = init
        self.early_stopping_rounds = early_stopping_rounds
        self.lightgbm = lightgbm
        self.random_state = random_state
        self.verbose = verbose

    def set_params(self, **params: Any) -> Self:
        """Set parameters; parameters of `init` as ``init__C``."""
        names = self._get_param_names()
        for name in params:
            part, nested, _ = name.partition("__")
            if part not in names:
                raise InputError(unknown_parameter(name, names))
            if nested and part == "lightgbm":
                raise InputError(f"LambdaMART has no parameter {name!r}; set lightgbm as a whole: lightgbm={{...}}")
        return super().set_params(**params)  # type: ignore[no-any-return]

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        text = super().__repr__(N_CHAR_MAX)
        try:
            guide = self._guide() if isinstance(self.guide, str) and self.guide == "auto" else None
        except (TypeError, ValueError):  # a repr shows wrong parameters too
            guide = None
        if guide is None:
            return text
        shown = f"guide='auto' ({self.guide_share}*{name_of(guide)})"
        if sklearn.get_config()["print_changed_only"]:
            return f"{text.removesuffix(')')}, {shown})"
        return text.replace("guide='auto'", shown, 1)

    def refit_params(self) -> dict[str, Any]:
        return {"n_estimators": max(1, self.best_iteration_), "early_stopping_rounds": None}

    def _check_parameters(self, has_validation: bool) -> None:
        if self.n_estimators is not None:
            check_int(self.n_estimators, "n_estimators")
        self._check_tree_parameters()
        check_init(self.init, self)
        check_positive(self.sigma, "sigma")
        if not check_non_negative(self.guide_share, "guide_share") < 1:
            raise InputError(f"guide_share must be at least 0 and below 1, not {self.guide_share!r}")
        self._objective()
        check_lightgbm(self.lightgbm, self._get_param_names())
        given = self._given()
        if self.early_stopping_rounds is not None:
            check_int(self.early_stopping_rounds, "early_stopping_rounds")
            check_watched(has_validation)
            if boosting_type(given) == "dart":
                raise InputError("early_stopping_rounds needs trees that stay as they are (not dart); leave it out")
        check_seeds(given, self.random_state, check_int(self.n_seeds, "n_seeds"))
        if sampling_params(given, 0) is None and self.n_seeds > 1 and not is_random(given):
            raise InputError(
                f"n_seeds={self.n_seeds} would grow the same trees {self.n_seeds} times, as nothing is random; set "
                "extra_trees=True, or sample queries (bagging_fraction, bagging_freq) or features (colsample_bytree)"
            )

    def _check_tree_parameters(self) -> None:
        check_positive(self.learning_rate, "learning_rate")
        check_int(self.num_leaves, "num_leaves", 2)
        check_int(self.max_depth, "max_depth", -1)
        check_int(self.min_child_samples, "min_child_samples", 0)
        check_fraction(self.colsample_bytree, "colsample_bytree")
        check_non_negative(self.reg_lambda, "reg_lambda")
        check_bool(self.extra_trees, "extra_trees")

    def _guide(self) -> SupportsEvaluate | None:
        return resolve_guide(as_measure(self.measure), self.guide, self.guide_share)

    def _objective(self) -> SupportsEvaluate:
        return with_guide(as_measure(self.measure), self._guide(), self.guide_share)

    def _trained_for(self) -> SupportsEvaluate:
        return as_measure(self.measure)

    def _provenance(self) -> Provenance:
        """With the guide by name, or None if there is no guide."""
        known, guide = super()._provenance(), self._guide()
        return replace(known, parameters={**known.parameters, "guide": None if guide is None else qualified_name_of(guide)})

    def _train(self, training: Shards, validation: Shards | None, monitor: TrainingMonitor) -> Model:
        is_dart = boosting_type(self._given()) == "dart"
        limits = RoundLimits.choose(self.n_estimators, self.early_stopping_rounds, validation is not None, is_dart)
        self.best_iteration_, self._init_value = 0, None
        init_model = self._initial_model(training, validation, monitor)
        if init_model is not None and monitor.ended:
            return replace(init_model, categories=self.categories_)
        if init_model is not None and validation is not None:
            self._init_value = init_value(validation, init_model)
        objective = LambdaObjective(self.sigma, self._trained_for(), init_model, _watchlist(monitor, init_model))
        with lightgbm_errors_as_input_errors():
            ensemble = make_ensemble(training, validation, self._tree_params(), objective, limits.max_rounds)
        with monitor.interruptible(), lightgbm_errors_as_input_errors():
            boost(ensemble, limits, self._init_value, monitor)
        if init_model is None:
            monitor.raise_without_rounds()
        self.best_iteration_ = limits.kept(monitor, self._init_value)
        model = replace(ensemble.model(self.best_iteration_), categories=self.categories_)
        if not monitor.ended and not np.any(model.split_counts):
            self._warn_learned_nothing()
        return model if init_model is None else model.after(init_model)

    def _warn_learned_nothing(self) -> None:
        why = "no split of a feature helps; with little data, lower min_child_samples"
        if self.init is not None or self._init_model is not None:
            better = self._init_value is None or self.best_iteration_
            why = f"{why if better else 'no round is better on the eval_set'}; the model is its start"
        warn_learned_nothing("LambdaMART", f" for {name_of(self._trained_for())}: {why}")

    def _facts(self) -> dict[str, float]:
        return {"rounds": self.best_iteration_}

    def _given(self) -> dict[str, Any]:
        """Parameters by LightGBM's names."""
        return {theirs: getattr(self, ours) for ours, theirs in NAMED.items()} | dict(self.lightgbm or {})

    def _tree_params(self) -> TreeParams:
        names = list(getattr(self, "feature_names_in_", []))
        features = FeatureParams(names, self._unordered, self._columns, self.n_features_in_)
        return TreeParams(self._given(), seed_from(self.random_state), self.n_seeds, features)


def _watchlist(monitor: TrainingMonitor, init_model: TreesModel | None) -> Watchlist | None:
    """Sets that are evaluated after each round, from the scores of the initial model."""
    if monitor.watchlist is None or not monitor.evaluates_each_round:
        return None
    if init_model is not None:
        monitor.watchlist.start_from(init_model)
    return monitor.watchlist

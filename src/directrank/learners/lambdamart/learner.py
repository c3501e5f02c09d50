"""LambdaMART: boosted trees that follow the lambdas of a measure."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Self

import numpy as np
import sklearn

from ...data import InputError
from ...measures import MeasureSum, SupportsEvaluate, as_measure, name_of
from ...measures.naming import qualified_name_of
from ...models import Model, Provenance, TreesModel
from ..core.monitoring import Monitor, TrainingMonitor
from ..core.ranker import Ranker
from ..core.shards import Shards
from ..core.task import has_init_score
from ..core.validation import RandomState, seed_from
from ..core.warning import warn_learned_nothing
from ..core.watchlist import Watchlist
from ..search_space import Between, OneOf
from ..svm.ranksvm import RankSVM
from .auto_params import AUTO, resolve
from .boosters import LambdaObjective, lightgbm_errors_as_input_errors
from .boosting import MAX_ROUNDS, Ensemble, RoundLimits, boost, make_ensemble
from .feature_params import FeatureParams
from .gradients import informative_sizes
from .guide import resolve_guide, with_guide
from .init import Start, check_init, init_value
from .own_params import check_own
from .params import (
    NAMED,
    TreeParams,
    boosting_type,
    check_lightgbm,
    hint_at_lightgbm,
    unknown_parameter,
)
from .rounds_by_folds import Part, choose_rounds, parts_by_folds
from .tree_ranker import TreeRanker


class LambdaMART(TreeRanker):
    r"""LambdaMART (Burges 2010; for ROC areas Welleck 2015): LightGBM's trees, grown on the lambdas of a measure.

    Trees follow a mix of the measure (20 %) and its guide (80 %), which changes with more swaps: see `guide`, which None
    switches off. Parameters that are "auto" are chosen by the number of documents that are learned from; `chosen_params_`
    has their values.

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
        Number of rounds, each a tree for each seed. By default, with an `eval_set`, at most 2,000, and training stops when
        the measure on it has not risen for 100 rounds, or more if it has few queries; without one, the number that is best
        on held-out parts of the training queries, or 180 beyond 50,000 documents and with six queries or fewer. DART has
        180, and does not stop.
    learning_rate : float or "auto"
        As in `lightgbm.LGBMRanker`; "auto" is 0.1.
    num_leaves : int or "auto"
        As in `lightgbm.LGBMRanker`; "auto" is 7 up to 10,000 documents, 15 up to 50,000, and 31 beyond.
    max_depth, min_child_samples, colsample_bytree, reg_lambda
        As in `lightgbm.LGBMRanker`.
    extra_trees : bool or "auto"
        Whether a split compares one random threshold of each feature rather than all (Geurts et al. 2006). With "auto" every
        other booster does, if there are several, and each round of a booster sees 70 % of the queries.
    sigma : float
        Steepness of the pairwise loss.
    normalize : bool
        Whether pairs count less the further apart their scores are (the change of the measure is divided by 0.01 plus their
        distance), and queries with many or large lambdas count less (a sum S of absolute values becomes log2(1 + S)), as in
        LightGBM.
    guide : "auto", None, or a measure
        Measure of whole rankings that the trees follow too, as most swaps change `measure` little or not at all. "auto" is
        ``0.5*nDCG + 0.5*AUC`` for nDCG and nDCG@10, and so on for AP, DCG, ERR and RBP; ``0.5*AP + 0.5*AUC`` for RR,
        P@k, R@k and Success@k; and None for all others. Rounds are chosen by `measure` alone.
    guide_share : float
        Weight of the guide in the lambdas, at least 0 and below 1.
    n_seeds : int or "auto"
        Number of boosters with different seeds, grown side by side. The model is the mean of their scores, as one sum of
        trees; their seeds are ``random_state``, ``random_state + 1`` and so on. "auto" is 4 up to 50,000 documents, and 1
        beyond.
    init : ranker, "auto" or None
        Ranker whose scores the trees are added to, such as ``RankSVM()``: it is the first part of the model, and all of it
        if no round is better on the `eval_set`. An unfitted one is cloned and fitted on the same training data and
        `eval_set`; a fitted one stays as it is, but `clone` returns it unfitted. With "auto" half of the boosters start from
        ``RankSVM()``, if there are several and nothing speaks against it: categorical features, constraints, initial scores.
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
    chosen_params_ : dict
        Values of the parameters that are "auto": `learning_rate`, `num_leaves`, `n_seeds`, and `init`, which is "RankSVM" or
        None.
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
    LambdaMART(measure='RR', guide='auto' (0.8*(0.5*AP + 0.5*AUC)))
    """

    #: Measure of the initial model on the `eval_set`.
    _init_value: float | None = None

    search_space = {
        "num_leaves": Between(4, 64, log=True),
        "min_child_samples": Between(5, 200, log=True),
        "learning_rate": Between(0.02, 0.2, log=True),
        "colsample_bytree": Between(0.3, 1.0),
        "reg_lambda": Between(0.01, 10.0, log=True),
        "extra_trees": OneOf(("auto", True, False)),
    }

    @hint_at_lightgbm
    def __init__(
        self,
        measure: str | type | SupportsEvaluate = "nDCG@10",
        *,
        n_estimators: int | None = None,
        learning_rate: float | str = "auto",
        num_leaves: int | str = "auto",
        max_depth: int = -1,
        min_child_samples: int = 20,
        colsample_bytree: float = 1.0,
        reg_lambda: float = 0.0,
        extra_trees: bool | str = "auto",
        sigma: float = 1.0,
        normalize: bool = True,
        guide: str | type | SupportsEvaluate | None = "auto",
        guide_share: float = 0.8,
        n_seeds: int | str = "auto",
        init: Ranker | str | None = "auto",
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
        self.normalize = normalize
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
            if nested and part == "init" and not isinstance(params.get("init", self.init), Ranker):
                raise InputError(f"{name} is a parameter of a ranker, and init is {self.init!r}; set init=RankSVM() first")
        return super().set_params(**params)  # type: ignore[no-any-return]

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        text = super().__repr__(N_CHAR_MAX)
        try:
            guide = self._guide() if isinstance(self.guide, str) and self.guide == "auto" else None
        except (TypeError, ValueError):  # a repr shows wrong parameters too
            guide = None
        if guide is None:
            return text
        name = f"({name_of(guide)})" if isinstance(guide, MeasureSum) else name_of(guide)
        shown = f"guide='auto' ({self.guide_share}*{name})"
        if sklearn.get_config()["print_changed_only"]:
            return f"{text.removesuffix(')')}, {shown})".replace("(, ", "(")
        return text.replace("guide='auto'", shown, 1)

    def refit_params(self) -> dict[str, Any]:
        rounds = {"n_estimators": max(1, self.best_iteration_), "early_stopping_rounds": None}
        return rounds | {name: value for name, value in self.chosen_params_.items() if name != "init"}

    def _check_parameters(self, has_validation: bool) -> None:
        check_init(self.init, self)
        check_lightgbm(self.lightgbm, self._get_param_names())
        check_own(self.get_params(deep=False), self._given(), has_validation)
        self._objective()

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
        self.best_iteration_, self._init_value = 0, None
        params, limits = self._tree_params(training), self._round_limits([] if validation is None else [validation])
        with lightgbm_errors_as_input_errors():
            limits = self._with_rounds(limits, params, training, monitor)
        start = self._start(params, training, validation, monitor)
        if isinstance(self.init, str):
            self.chosen_params_["init"] = RankSVM.__name__ if start.varies else None
        if start.mean is not None and monitor.ended:
            return replace(start.mean, categories=self.categories_)
        if start.mean is not None and validation is not None:
            self._init_value = init_value(validation, start.mean)
        watchlist = _watchlist(monitor, start.mean)
        with lightgbm_errors_as_input_errors():
            ensemble = self._ensemble(training, validation, params, start, watchlist, limits.max_rounds)
        with monitor.interruptible(), lightgbm_errors_as_input_errors():
            boost(ensemble, limits, self._init_value, monitor)
        if start.mean is None:
            monitor.raise_without_rounds()
        self.best_iteration_ = limits.kept(monitor, self._init_value)
        model = replace(ensemble.model(self.best_iteration_), categories=self.categories_)
        if not (monitor.ended or np.any(model.split_counts) or start.varies):
            self._warn_learned_nothing(has_start=start.mean is not None)
        return model if start.mean is None else model.after(start.mean)

    def _with_rounds(self, limits: RoundLimits, params: TreeParams, training: Shards, monitor: Monitor) -> RoundLimits:
        """Limits with the number of rounds by cross-validation, if neither the user nor a validation set gives it.

        Ctrl-C raises KeyboardInterrupt, as there is no model so far.
        """
        if self.n_estimators is not None or limits.patience is not None or limits.keeps_all:
            return limits

        def make(part: Part) -> Ensemble:
            return self._ensemble(*part, params, self._start_of_part(params, part, monitor), None, MAX_ROUNDS)

        parts = parts_by_folds(training)
        if not parts:
            return limits
        by_folds = self._round_limits([part.held_out for part in parts])
        return replace(limits, max_rounds=choose_rounds(parts, make, by_folds))

    def _start_of_part(self, params: TreeParams, part: Part, monitor: Monitor) -> Start:
        """Model that boosters on a part start from; Ctrl-C while it is fitted raises KeyboardInterrupt."""
        start = self._start(params, *part, monitor)
        if monitor.interrupted:
            raise KeyboardInterrupt
        return start

    def _ensemble(
        self,
        training: Shards,
        validation: Shards | None,
        params: TreeParams,
        start: Start,
        watchlist: Watchlist | None,
        max_rounds: int,
    ) -> Ensemble:
        objective = LambdaObjective(self.sigma, self.normalize, self._trained_for(), start, watchlist)
        return make_ensemble(training, validation, params, objective, max_rounds)

    def _round_limits(self, validation: Sequence[Shards]) -> RoundLimits:
        """Limits for some validation sets together."""
        n_queries = sum(int(shards.total(informative_sizes)[1]) for shards in validation)
        is_dart = boosting_type(self._given()) == "dart"
        return RoundLimits.choose(self.n_estimators, self.early_stopping_rounds, n_queries, is_dart)

    def _start(self, params: TreeParams, training: Shards, validation: Shards | None, monitor: Monitor) -> Start:
        """Model that boosters start from; with "auto" RankSVM for some of them, where it learns to rank."""
        if self.init is None or isinstance(self.init, Ranker) or self._init_model is not None:
            given = self.init if isinstance(self.init, Ranker) else None
            return Start(self._initial_model(given, training, validation, monitor), (True,) * params.n_seeds)
        model = None
        if any(params.boosters.starts):
            with suppress(InputError), warnings.catch_warnings(action="ignore"):
                model = self._initial_model(RankSVM(), training, validation, monitor)
        ranks = model is not None and model.portable().columns.size > 0
        return Start(model if ranks else None, params.boosters.starts)

    def _warn_learned_nothing(self, has_start: bool) -> None:
        why = "no split of a feature helps; with little data, lower min_child_samples"
        if has_start:
            better = self._init_value is None or self.best_iteration_
            why = f"{why if better else 'no round is better on the eval_set'}; the model is its start"
        warn_learned_nothing("LambdaMART", f" for {name_of(self._trained_for())}: {why}")

    def _facts(self) -> dict[str, float]:
        return {"rounds": self.best_iteration_}

    def _given(self) -> dict[str, Any]:
        """Parameters by LightGBM's names."""
        return {theirs: getattr(self, ours) for ours, theirs in NAMED.items()} | dict(self.lightgbm or {})

    def _tree_params(self, training: Shards) -> TreeParams:
        n_documents, _ = training.total(informative_sizes).tolist()
        is_auto = isinstance(self.init, str) and self._init_model is None and not any(training.each(has_init_score))
        can_start = is_auto and not self._unordered and self._columns is None
        boosters = resolve(self._given(), self.n_seeds, n_documents, can_start)
        chosen = {"num_leaves": boosters.given["num_leaves"], "learning_rate": boosters.given["learning_rate"]}
        chosen["n_seeds"] = boosters.n_seeds
        self.chosen_params_ = {name: value for name, value in chosen.items() if getattr(self, name) == AUTO}
        names = list(getattr(self, "feature_names_in_", []))
        features = FeatureParams(names, self._unordered, self._columns, self.n_features_in_)
        return TreeParams(boosters, seed_from(self.random_state), features)


def _watchlist(monitor: TrainingMonitor, init_model: TreesModel | None) -> Watchlist | None:
    """Sets that are evaluated after each round, from the scores of the initial model."""
    if monitor.watchlist is None or not monitor.evaluates_each_round:
        return None
    if init_model is not None:
        monitor.watchlist.start_from(init_model)
    return monitor.watchlist

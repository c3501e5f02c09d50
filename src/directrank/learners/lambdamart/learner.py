"""LambdaMART: boosted trees that follow the lambdas of a measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import lightgbm as lgb
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from ...data import InputError
from ...data.checked_arrays import as_scores
from ...data.frames import reorder_columns
from ...measures import SupportsEvaluate, as_measure, name_of
from ...models import Model, TreesModel
from ...models.trees.categories import Categories, as_matrix, categories_of, check_columns, unordered
from ..core.monitoring import Callback, TrainingMonitor
from ..core.ranker import QueryWeight, Ranker
from ..core.shards import Shards
from ..core.task import Task
from ..core.validation import EvalSet, check_int, check_non_negative, check_positive, check_random_state, seed_from
from ..core.warning import warn_learned_nothing
from ..search_space import Between, OneOf
from .bags import Bags
from .boosters import LambdaObjective, TreeSettings, bags_of
from .elsewhere import DistributedBags, value_of_start
from .feature_settings import FeatureSettings
from .guide import guided
from .lightgbm import (
    boosting_type,
    check_name,
    is_random,
    lightgbm_errors_as_input_errors,
    seeds_of,
)
from .sampling import sampling_of
from .start import as_start, check_init, check_init_scores, fitted_start, learned_start

#: Rounds without an `eval_set`; the most with one, and for how many to wait for a better one.
ROUNDS, MOST_ROUNDS, PATIENCE = 300, 2000, 100


class LambdaMART(Ranker):
    r"""LambdaMART (Burges 2010; for ROC areas Welleck 2015): LightGBM's trees, grown on the lambdas of a measure.

    Each round grows a tree on the gradient and the hessian of

    .. math:: \sum_{l_i > l_j} |\Delta_{ij}| \log(1 + e^{-\sigma (s_i - s_j)}),

    Delta being the change of the measure when documents i and j of a query swap ranks, at the present scores. LightGBM
    never hears of queries: none of its limits on their size, on grades or on the order of rows hold here.

    The lambdas are multiplied by a constant that makes the mean hessian 1 where all scores are 0, so that the scale of a
    measure does not change which trees are grown: LightGBM's bounds on hessian (``min_sum_hessian_in_leaf``,
    ``lambda_l2``) mean the same for all of them.

    ``bagging_fraction`` and ``bagging_freq`` sample whole queries (of a single query, its documents), drawn by what they
    hold: shuffled rows, renamed queries and shards change the model by rounding only; ``min_data_in_leaf`` counts also the
    documents that are not drawn. For ``data_sample_strategy="goss"``,
    which samples by position, LightGBM gets a copy of the rows in an order that depends on their content; its sample depends
    on how rows are put in shards. One limit: of more than ``bin_construct_sample_cnt`` (200,000) rows LightGBM takes a
    sample, by position, to place its bins.

    Parameters
    ----------
    measure : name or measure
        AUC, MAUC, nDCG, nDCG@k, AP, RR, P@k, R@k, Success@k, Rprec, ERR, a weighted sum such as ``0.7*nDCG@10 + 0.3*AUC``;
        also any other that has `evaluate`, whose swaps are then evaluated one by one, slowly.
    n_estimators : int, optional
        How many rounds, each a tree for each of the bags. By default 300 without an `eval_set`; with one, at most
        2,000, and the training stops when the measure on it has not risen for 100 rounds. DART has 300, and does not stop.
    learning_rate : float
    num_leaves : int
    extra_trees : bool
        Whether a split compares one threshold of each feature, drawn at random, rather than all (Geurts et al. 2006).
    sigma : float
        The steepness of the pairs' cost.
    guide_share : float
        Share of AP in the objective of a measure that depends on the first relevant document alone (RR, Success@k). The
        number of rounds is chosen by the measure alone.
    n_bags : int
        How many seeds to grow trees with, side by side: the model is the mean of their scores, and one sum of trees. Those
        of seed r are r, r + 1, and so on; an `eval_set` chooses the best round of the mean.
    init : ranker, optional
        What the trees start from, such as ``RankSVM()``: its scores are the first part of the model, and all of it if no
        round is better on the `eval_set`. One that is not fitted is cloned, and learns from the same training data and
        `eval_set`; one that is fitted stays as it is, but `clone` returns it unfitted.
    early_stopping_rounds : int, optional
        Stop when the measure on the `eval_set` has not risen for so many rounds.
    random_state : int, Generator, RandomState or None
        Random seed for thresholds, and for what LightGBM draws.
    verbose : int
        Print progress every `verbose` rounds; 0 is silent.
    **lightgbm_params
        Any other parameter of LightGBM: ``min_data_in_leaf=50``, ``monotone_constraints=[1, 0, -1]`` or by
        the names of features, ``{"bm25": 1}``, ``categorical_feature=[3]``, ``num_threads=1``. With ``boosting="dart"``,
        whose later rounds change earlier trees, `predict` uses all trees.

    Attributes
    ----------
    booster_ : lightgbm.Booster
        The trees that `predict` uses, as LightGBM has them. A linear `init` is the first of them, a tree of one leaf,
        which LightGBM's SHAP values leave out.
    best_iteration_ : int
        Number of rounds in the model: up to the best on the `eval_set`, or all.
    categories_ : dict
        For each column of the training frame that has categories, these.
    feature_importances_ : array
        How often each feature is split on.
    history_ : list of Progress
        One entry for each round; `info` has the number of `trees`.

    Examples
    --------
    >>> from directrank.datasets import make_ranking
    >>> data = make_ranking(50, random_state=0)
    >>> model = LambdaMART("AUC", n_estimators=20).fit(data.X, data.y, data.qid)
    >>> bool(model.score(data.X, data.y, data.qid) > 0.8)
    True
    """

    _allows_missing = True
    categories_: Categories = {}
    _unordered: list[int] = []

    #: What the trees start from in the fit that goes on.
    _init_model: Any = None

    #: The measure on the `eval_set` of what the trees start from.
    _of_start: float | None = None

    search_space = {
        "num_leaves": Between(4, 64, log=True),
        "min_data_in_leaf": Between(5, 200, log=True),
        "learning_rate": Between(0.02, 0.2, log=True),
        "feature_fraction": Between(0.3, 1.0),
        "lambda_l2": Between(0.01, 10.0, log=True),
        "extra_trees": OneOf((True, False)),
    }

    def __init__(
        self,
        measure: str | type | SupportsEvaluate = "nDCG@10",
        *,
        n_estimators: int | None = None,
        learning_rate: float = 0.05,
        num_leaves: int = 15,
        extra_trees: bool = True,
        sigma: float = 1.0,
        guide_share: float = 0.8,
        n_bags: int = 1,
        init: Ranker | None = None,
        early_stopping_rounds: int | None = None,
        random_state: Any = 0,
        verbose: int = 0,
        **lightgbm_params: Any,
    ) -> None:
        self.measure = measure
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.num_leaves = num_leaves
        self.extra_trees = extra_trees
        self.sigma = sigma
        self.guide_share = guide_share
        self.n_bags = n_bags
        self.init = init
        self.early_stopping_rounds = early_stopping_rounds
        self.random_state = random_state
        self.verbose = verbose
        self.__dict__.update(lightgbm_params)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Our parameters and LightGBM's that were given."""
        return {**super().get_params(deep), **self._lightgbm_params()}

    def set_params(self, **params: Any) -> Self:
        """Set our parameters, any of LightGBM's, or those of `init` as ``init__C``."""
        nested = {name: value for name, value in params.items() if "__" in name}
        for name, value in params.items():
            if name not in nested:
                setattr(self, name, value)
        if self.init is None and any(name.startswith("init__") for name in nested):
            raise InputError(f"{min(nested)} cannot be set, as init is None; give init too")
        return super().set_params(**nested)  # type: ignore[no-any-return]

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        *,
        group: ArrayLike | None = None,
        query_weight: QueryWeight | None = None,
        eval_set: EvalSet | Sequence[EvalSet] | None = None,
        eval_measures: str | Sequence[str | type | SupportsEvaluate] | None = None,
        callbacks: Sequence[Callback] | None = None,
        init_model: Any = None,
        init_score: ArrayLike | None = None,
        keep_partial: bool = False,
    ) -> Self:
        """Learn from graded documents.

        Parameters
        ----------
        X, y, qid, group, query_weight, eval_measures, callbacks
            See `Ranker.fit`.
        eval_set : (X, y, qid) or a list of such, optional
            The best round is chosen by the first one. With `init_score` each is (X, y, qid, init_score).
        init_model : model, fitted learner, path of a saved model, or LightGBM's booster, optional
            To go on training: new trees are added to it, as many as `n_estimators` says, and both are the model.
        init_score : array, optional
            A score for each row that the trees are added to and that is no part of the model: `predict` gives that of the
            trees alone, as in LightGBM.
        """
        self._forget()
        if init_model is not None and self.init is not None:
            raise InputError("both init and init_model are given, and trees start from one model; give one of them")
        check_init_scores(init_score, eval_set)
        self._init_model, self._init_score = init_model, init_score
        try:
            return super().fit(
                X,
                y,
                qid,
                group=group,
                query_weight=query_weight,
                eval_set=eval_set,
                eval_measures=eval_measures,
                callbacks=callbacks,
                keep_partial=keep_partial,
            )
        finally:
            self._init_model, self._init_score = None, None

    def _with_init_score(self, task: Task, init_score: ArrayLike | None = None) -> Task:
        if init_score is None:
            return task
        return replace(task, init_score=as_scores(init_score, task.n_documents, "init_score"))

    def _forget(self) -> None:
        super()._forget()
        for name in ("categories_", "_unordered"):
            self.__dict__.pop(name, None)

    def _check_parameters(self, has_validation: bool) -> None:
        if self.n_estimators is not None:
            check_int(self.n_estimators, "n_estimators")
        check_init(self.init, self)
        check_positive(self.sigma, "sigma")
        if not check_non_negative(self.guide_share, "guide_share") < 1:
            raise InputError(f"guide_share must be at least 0 and below 1, not {self.guide_share!r}")
        as_measure(self.measure)
        given = self._lightgbm_params()
        if self.early_stopping_rounds is not None:
            check_int(self.early_stopping_rounds, "early_stopping_rounds")
            if not has_validation or boosting_type(given) == "dart":
                raise InputError("early_stopping_rounds needs an eval_set, and trees that stay as they are (not dart)")
        if boosting_type(given) in ("rf", "random_forest"):
            raise InputError("LightGBM grows a random forest for its own objectives only; choose another boosting")
        for name in given:
            check_name(name, self._get_param_names())
        self._check_seeds(given)

    def _check_seeds(self, given: dict[str, Any]) -> None:
        last = check_int(self.n_bags, "n_bags") - 1
        check_random_state(self.random_state)
        is_seed = isinstance(self.random_state, (int, np.integer))
        seed = seeds_of(given, self.random_state if is_seed else 0, last)["seed"]
        if sampling_of(given, seed) is None and last and not (self.extra_trees or is_random(given)):
            raise InputError(
                f"n_bags={self.n_bags} would grow the same trees {self.n_bags} times, as nothing is random; set "
                "extra_trees=True, or sample queries (bagging_fraction, bagging_freq) or features (feature_fraction)"
            )

    def _objective(self) -> SupportsEvaluate:
        return guided(self._trained_for(), self.guide_share)

    def _trained_for(self) -> SupportsEvaluate:
        return as_measure(self.measure)

    def _train(self, training: Shards, validation: Shards | None, monitor: TrainingMonitor) -> Model:
        self._of_start = None
        start = self._start(training, validation, monitor)
        if start is not None and monitor.ended:
            self.best_iteration_ = 0
            return replace(start, categories=self.categories_)
        if start is not None and validation is not None:
            self._of_start = value_of_start(validation, start)
        watched = monitor.watchlist if monitor.evaluates_each_round else None
        if start is not None and watched is not None:
            watched.start_from(start)
        pursuit = LambdaObjective(self.sigma, self._trained_for(), start, watched)
        with lightgbm_errors_as_input_errors():
            bags = bags_of(self._tree_settings(), pursuit, training, validation, self._n_rounds(validation is not None))
        with monitor.interruptible(), lightgbm_errors_as_input_errors():
            self._boost(bags, monitor)
        self.best_iteration_ = self._n_kept(monitor)
        model = replace(bags.model(self.best_iteration_), categories=self.categories_)
        if not monitor.ended and not np.any(model.split_counts):
            self._warn_learned_nothing()
        return model if start is None else model.after(start)

    def _warn_learned_nothing(self) -> None:
        why = "no split of a feature helps; with little data, lower min_data_in_leaf"
        if self.init is not None or self._init_model is not None:
            better = self._of_start is None or self.best_iteration_
            why = f"{why if better else 'no round is better on the eval_set'}; the model is its start"
        warn_learned_nothing("LambdaMART", f" for {name_of(self._trained_for())}: {why}")

    def _boost(self, bags: Bags | DistributedBags, monitor: TrainingMonitor) -> None:
        """Round after round, trees on the lambdas at the scores so far."""
        can_split, n_rounds = bags.can_split, self._n_rounds(bags.has_validation)
        patience = self._patience(bags.has_validation)
        monitor.n_steps = None if patience else n_rounds
        for _ in range(n_rounds):
            if can_split:  # LightGBM takes having none for an error
                bags.grow()
            training, validation = bags.values()
            trees, evals = bags.end_round()
            stop = monitor.round(training=training, validation=validation, info={"trees": trees}, evals=evals)
            if stop or not can_split or len(monitor.history) - self._n_kept(monitor) >= (patience or np.inf):
                break

    def _n_rounds(self, has_validation: bool) -> int:
        """The most to be grown."""
        if self.n_estimators is not None:
            return self.n_estimators
        return MOST_ROUNDS if has_validation and not self._is_dart() else ROUNDS

    def _patience(self, has_validation: bool) -> int | None:
        """For how many rounds to wait for a better one; None for all."""
        if not has_validation or self._is_dart():
            return None
        return PATIENCE if self.early_stopping_rounds is None and self.n_estimators is None else self.early_stopping_rounds

    def _is_dart(self) -> bool:
        return boosting_type(self._lightgbm_params()) == "dart"

    @property
    def booster_(self) -> lgb.Booster:
        check_is_fitted(self, "model_")
        return self.model_.booster  # type: ignore[attr-defined]

    @property
    def feature_importances_(self) -> NDArray[Any]:
        """How often each feature is split on; ``booster_.feature_importance("gain")`` gives how much that gained."""
        check_is_fitted(self, "model_")
        return self.model_.split_counts  # type: ignore[attr-defined, no-any-return]

    def refit_params(self) -> dict[str, Any]:
        return {"n_estimators": max(1, self.best_iteration_), "early_stopping_rounds": None}

    def _facts(self) -> dict[str, float]:
        return {"rounds": self.best_iteration_}

    def _n_kept(self, monitor: TrainingMonitor) -> int:
        """Number of rounds up to the best on the validation set, 0 if the start is better.

        All of DART, whose later rounds change the earlier trees.
        """
        if self._is_dart():
            return len(monitor.history)
        kept = monitor.best_round()
        best = monitor.history[kept - 1].evals.get("validation", {}).get(monitor.measure) if kept else None
        is_better = best is None or self._of_start is None or best > self._of_start
        return kept if is_better else 0

    def _start(self, training: Shards, validation: Shards | None, monitor: TrainingMonitor) -> TreesModel | None:
        """What the trees start from, if anything."""
        called = "init" if self._init_model is None else "init_model"
        model = getattr(self.init, "model_", None) if self._init_model is None else as_start(self._init_model)
        if model is None:
            return None if self.init is None else learned_start(self.init, training, validation, monitor)
        if self._columns is not None:
            raise InputError(f"{called} is fitted, and X is sparse and very wide; start from an init that is not fitted")
        names = getattr(self, "feature_names_in_", None)
        return fitted_start(called, model, training.n_features, names, self.categories_)

    def _tree_settings(self) -> TreeSettings:
        own = {name: getattr(self, name) for name in ("learning_rate", "num_leaves", "extra_trees")}
        names = list(getattr(self, "feature_names_in_", []))
        features = FeatureSettings(names, self._unordered, self._columns)
        return TreeSettings(own, self._lightgbm_params(), seed_from(self.random_state), self.n_bags, features)

    def _lightgbm_params(self) -> dict[str, Any]:
        ours = self._get_param_names()
        return {k: v for k, v in vars(self).items() if k not in ours and not k.startswith("_") and not k.endswith("_")}

    def _check_X(self, X: Any, y: Any = "no_validation", *, reset: bool) -> Any:
        """X checked; the categories of a frame as numbers."""
        if reset:
            self.categories_, self._unordered = categories_of(X), unordered(X)
        else:
            check_columns(self.categories_, X)
        if not self.categories_ or not hasattr(X, "columns"):
            return super()._check_X(X, y, reset=reset)
        X = X if reset else reorder_columns(X, self.feature_names_in_)
        validate_data(self, X, reset=reset, skip_check_array=True)
        matrix = as_matrix(X, self.categories_)
        if np.isinf(matrix).any():
            raise InputError("X has infinite values; replace them, or use NaN where a value is missing")
        return matrix

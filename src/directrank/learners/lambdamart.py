"""LambdaMART: boosted trees that follow the lambdas of a measure."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Self

import lightgbm as lgb
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from ..data import InputError
from ..data.ranking_data import as_grades, as_qid, group_rows
from ..measures import Evaluates, as_measure, lambdas_of, name_of
from .base import EvalSet, Ranker, positive, query_weights, teaching, until_best, value_of_each, whole
from .interruption import Interruptible

Floats = NDArray[np.float64]


class Round(NamedTuple):
    """What one round of LambdaMART reached.

    Attributes
    ----------
    validation : float or None
        The measure on the `eval_set`.
    seconds : float
        Since the training began.
    """

    validation: float | None
    seconds: float

    def __str__(self) -> str:
        return "" if self.validation is None else f"validation {self.validation:.4f}"


class LambdaMART(Ranker):
    r"""LambdaMART (Burges 2010; for ROC areas Welleck 2015): LightGBM's trees, grown on the lambdas of a measure.

    Each round grows a tree on the gradient and the curvature of

    .. math:: \sum_{l_i > l_j} |\Delta_{ij}| \log(1 + e^{-\sigma (s_i - s_j)}),

    Delta being the change of the measure when documents i and j of a query swap ranks, at the present scores. LightGBM
    never hears of queries: none of its limits on their size, on grades or on the order of rows hold here.

    The lambdas are multiplied by a constant that makes the mean curvature 1 in the first round, so that the scale of a
    measure does not change which trees are grown: LightGBM's bounds on curvature (``min_sum_hessian_in_leaf``,
    ``lambda_l2``) mean the same for all of them.

    Parameters
    ----------
    measure : name or measure
        AUC, MAUC, nDCG, nDCG@k, AP, RR, P@k, R@k, Success@k, Rprec, ERR, a weighted sum such as ``0.7*nDCG@10 + 0.3*AUC``;
        also any other that has `evaluate`, whose swaps are then evaluated one by one, slowly.
    n_estimators : int
        How many trees.
    learning_rate : float
    num_leaves : int
    sigma : float
        The steepness of the pairs' cost.
    early_stopping_rounds : int, optional
        Stop when the measure on the `eval_set` has not risen for so many rounds.
    random_state : int
    callback : callable, optional
        Called after each round with its number and its `Round`.
    **lightgbm_params
        Any other parameter of LightGBM: ``min_data_in_leaf=50``, ``monotone_constraints=[1, 0, -1]``,
        ``categorical_feature=[3]``, ``num_threads=1``.

    Attributes
    ----------
    booster_ : lightgbm.Booster
        The model as LightGBM has it.
    best_iteration_ : int
        How many trees `predict` uses: up to the best round on the `eval_set`, or all.
    feature_importances_ : array
        How often each feature is split on.
    history_ : list of Round

    Examples
    --------
    >>> from directrank.data import make_ranking
    >>> data = make_ranking(50, random_state=0)
    >>> model = LambdaMART("AUC", n_estimators=20).fit(data.X, data.y, data.qid)
    >>> bool(model.score(data.X, data.y, data.qid) > 0.8)
    True
    """

    def __init__(
        self,
        measure: str | type | Evaluates = "nDCG@10",
        *,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        num_leaves: int = 31,
        sigma: float = 1.0,
        early_stopping_rounds: int | None = None,
        random_state: int = 0,
        callback: Callable[[int, Round], None] | None = None,
        **lightgbm_params: Any,
    ) -> None:
        self.measure = measure
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.num_leaves = num_leaves
        self.sigma = sigma
        self.early_stopping_rounds = early_stopping_rounds
        self.random_state = random_state
        self.callback = callback
        self.__dict__.update(lightgbm_params)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Our parameters and LightGBM's that were given."""
        return {**super().get_params(deep), **self._handed_on()}

    def set_params(self, **params: Any) -> Self:
        """Set our parameters or any of LightGBM's."""
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        *,
        query_weight: ArrayLike | None = None,
        eval_set: EvalSet | None = None,
    ) -> Self:
        """Learn from graded documents.

        Parameters
        ----------
        X : array, CSR matrix or pandas frame
            NaN is a missing value; the categories of a frame are taken as such.
        y : array of grades
            Any numbers from 0 up.
        qid : array, optional
            The query of each row, in any order.
        query_weight : array, optional
            A weight for each query, given to all its rows.
        eval_set : (X, y, qid), optional
            A validation set: the measure on it is evaluated each round, and `predict` uses the trees up to the best one.
        """
        began, measure = time.perf_counter(), as_measure(self.measure)
        whole(self.n_estimators, "n_estimators")
        positive(self.sigma, "sigma")
        if self.early_stopping_rounds is not None:
            whole(self.early_stopping_rounds, "early_stopping_rounds")
        X = self._features(X, reset=True, y=y)
        if not hasattr(measure, "lambdas"):
            warnings.warn(
                f"{name_of(measure)} has no lambdas: every swap of two documents is evaluated, which is slow",
                UserWarning,
                stacklevel=2,
            )
        task = _Task(measure, y, qid, X.shape[0])
        task.teach(self.sigma, query_weight)
        categories = self._handed_on().get("categorical_feature", "auto")
        train = lgb.Dataset(X, label=np.asarray(y), categorical_feature=categories, params=self._parameters())
        self.history_: list[Round] = []
        with _errors_of_lightgbm():
            booster = lgb.Booster(self._parameters(), train)
            validation = self._add_validation(booster, train, eval_set)
        with Interruptible() as boosting, _errors_of_lightgbm():
            self._boost(booster, task, validation, began)
        self._keep(booster)
        if boosting.interrupted:
            warnings.warn(f"LambdaMART was interrupted after {len(self.history_)} rounds", ConvergenceWarning, stacklevel=2)
        return self

    def predict(self, X: Any) -> Floats:
        """A score for each row; higher is better."""
        check_is_fitted(self)
        X = self._features(X, reset=False)
        return np.asarray(self.booster_.predict(X, num_iteration=self.best_iteration_), np.float64)

    @property
    def feature_importances_(self) -> NDArray[Any]:
        """How often each feature is split on; ``booster_.feature_importance("gain")`` gives how much that gained."""
        check_is_fitted(self)
        return self.booster_.feature_importance(iteration=self.best_iteration_)

    def _boost(self, booster: lgb.Booster, task: _Task, validation: _Task | None, began: float) -> None:
        """Round after round, a tree on the lambdas at the scores so far."""
        for number in range(1, self.n_estimators + 1):
            grown_nothing = self._update(booster, task)
            value = None if validation is None else booster.eval_valid(validation.evaluate)[0][2]
            self.history_.append(Round(value, time.perf_counter() - began))
            if self.callback is not None:
                self.callback(number, self.history_[-1])
            if grown_nothing or self._is_late():
                break

    def _update(self, booster: lgb.Booster, task: _Task) -> bool:
        """Grow a tree; gives whether there was none to grow."""
        try:
            return bool(booster.update(fobj=task.lambdas))
        except lgb.basic.LightGBMError as error:
            if "num_features()) > (0)" in str(error):  # every feature is constant
                return True
            raise

    def _is_late(self) -> bool:
        """Whether the measure has not risen for long enough."""
        if self.early_stopping_rounds is None or self.history_[-1].validation is None:
            return False
        return len(self.history_) - len(until_best(self.history_)) >= self.early_stopping_rounds

    def _keep(self, booster: lgb.Booster) -> None:
        self.best_iteration_ = min(len(until_best(self.history_)), booster.current_iteration())
        booster.best_iteration = self.best_iteration_
        self.booster_ = booster.free_dataset()
        if not np.any(self.feature_importances_):
            warnings.warn(
                f"LambdaMART learned nothing for {name_of(as_measure(self.measure))}: no split of a feature helps; "
                "with little data, lower min_data_in_leaf",
                UserWarning,
                stacklevel=3,
            )

    def _add_validation(self, booster: lgb.Booster, train: lgb.Dataset, eval_set: EvalSet | None) -> _Task | None:
        if eval_set is None:
            return None
        X, y, qid = eval_set
        X = self._features(X, reset=False)
        task = _Task(as_measure(self.measure), y, qid, X.shape[0])
        held_out = lgb.Dataset(X, label=np.asarray(y), reference=train, params=self._parameters())
        booster.add_valid(held_out, "validation")
        return task

    def _parameters(self) -> dict[str, Any]:
        """LightGBM's parameters: ours, and those handed on to it."""
        return {
            "objective": "none",
            "metric": "none",
            "verbosity": -1,
            "learning_rate": self.learning_rate,
            "num_leaves": self.num_leaves,
            "seed": self.random_state,
            "deterministic": True,
            "force_col_wise": True,  # sums of histograms do not depend on the number of threads
            "feature_pre_filter": False,  # which would leave a small data set without features
            **{name: value for name, value in self._handed_on().items() if name != "categorical_feature"},
        }

    def _handed_on(self) -> dict[str, Any]:
        ours = self._get_param_names()
        return {k: v for k, v in vars(self).items() if k not in ours and not k.startswith("_") and not k.endswith("_")}

    def _features(self, X: Any, reset: bool, y: Any = "no_validation") -> Any:
        """X checked; a frame with categories goes to LightGBM as it is."""
        if hasattr(X, "dtypes") and any(str(dtype) == "category" for dtype in X.dtypes):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        checked = validate_data(
            self, X, y, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite="allow-nan"
        )
        checked = checked[0] if isinstance(checked, tuple) else checked
        return sparse.csr_matrix(checked) if sparse.issparse(checked) else checked  # LightGBM knows no sparse arrays

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


@contextmanager
def _errors_of_lightgbm() -> Iterator[None]:
    """What LightGBM refuses, in our words: bad input."""
    try:
        yield
    except lgb.basic.LightGBMError as error:
        raise InputError(f"LightGBM: {str(error).strip()}") from error


class _Task:
    """The queries of a data set and the measure on them, as LightGBM asks for it: row by row."""

    def __init__(self, measure: Evaluates, y: ArrayLike, qid: ArrayLike | None, n_rows: int) -> None:
        self.measure = measure
        self.queries = group_rows(None if qid is None else as_qid(qid, n_rows), n_rows)
        self.grades = self.queries.layout(as_grades(y, n_rows))

    def teach(self, sigma: float, query_weight: ArrayLike | None) -> None:
        """Make ready for `lambdas`."""
        taught = teaching(self.measure, self.grades, self.queries.offsets)
        sizes = np.diff(self.queries.offsets)
        weights = query_weights(self.queries, query_weight, taught)
        self.weights, self.n_taught = np.repeat(weights, sizes), int(sizes[weights > 0].sum())
        self.sigma, self.scale = sigma, 0.0
        self.lambdas_of_measure = lambdas_of(self.measure)

    def lambdas(self, scores: Floats, _: lgb.Dataset) -> tuple[Floats, Floats]:
        """Gradient and curvature of each row, the mean curvature being 1 at first."""
        at = self.sigma * self.queries.layout(scores)
        gradient, curvature = self.lambdas_of_measure(at, self.grades, self.queries.offsets)
        gradient, curvature = gradient * self.weights, curvature * self.weights * self.sigma
        if self.scale == 0.0:
            self.scale = self.n_taught / max(float(curvature.sum()), np.finfo(np.float64).tiny)
        return self._by_row(gradient * self.scale), self._by_row(curvature * self.scale)

    def evaluate(self, scores: Floats, _: lgb.Dataset) -> tuple[str, float, bool]:
        """The mean of the measure, as LightGBM takes it: its name, its value, and that more is better."""
        values = value_of_each(self.measure, self.queries.layout(scores), self.grades, self.queries.offsets)
        return name_of(self.measure), float(np.mean(values)), True

    def _by_row(self, values: Floats) -> Floats:
        if self.queries.moved is None:
            return values
        rows = np.empty_like(values)
        rows[self.queries.moved] = values
        return rows

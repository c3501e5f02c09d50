"""LambdaMART: boosted trees that follow the lambdas of a measure."""

from __future__ import annotations

import difflib
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

from ...arrays import Floats
from ...data import InputError
from ...data.ranking_data import as_grades, as_qid, group_rows
from ...measures import Evaluates, as_measure, lambdas_of, name_of
from ..base import EvalSet, Ranker, check_int, check_positive, query_weights, teaching, until_best, value_of_each
from ..interruption import Interruptible

_OWN_NAMES = ("n_estimators", "learning_rate", "num_leaves", "sigma", "early_stopping_rounds", "random_state")

#: LightGBM's parameters that are set here, and what to do instead.
_OURS = {
    "num_iterations": "use n_estimators",
    "learning_rate": "use learning_rate",
    "num_leaves": "use num_leaves",
    "seed": "use random_state",
    "early_stopping_round": "use early_stopping_rounds",
    "objective": "the measure is the objective",
    "metric": "the measure is what is validated by",
    "num_class": "a document has one score",
}


class Round(NamedTuple):
    """What one round of LambdaMART reached.

    Attributes
    ----------
    validation : float or None
        The measure on the `eval_set`.
    trees : int
        How many trees there are. A round adds none where its sample of rows and features has no split.
    seconds : float
        Since the training began.
    """

    validation: float | None
    trees: int
    seconds: float

    def __str__(self) -> str:
        return "" if self.validation is None else f"validation {self.validation:.4f}"


class LambdaMART(Ranker):
    r"""LambdaMART (Burges 2010; for ROC areas Welleck 2015): LightGBM's trees, grown on the lambdas of a measure.

    Each round grows a tree on the gradient and the hessian of

    .. math:: \sum_{l_i > l_j} |\Delta_{ij}| \log(1 + e^{-\sigma (s_i - s_j)}),

    Delta being the change of the measure when documents i and j of a query swap ranks, at the present scores. LightGBM
    never hears of queries: none of its limits on their size, on grades or on the order of rows hold here.

    The lambdas are multiplied by a constant that makes the mean hessian 1 in the first round, so that the scale of a
    measure does not change which trees are grown: LightGBM's bounds on hessian (``min_sum_hessian_in_leaf``,
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
        ``categorical_feature=[3]``, ``num_threads=1``. With ``boosting="dart"``, whose later rounds change earlier trees,
        `predict` uses all trees.

    Attributes
    ----------
    booster_ : lightgbm.Booster
        The model as LightGBM has it.
    best_iteration_ : int
        How many trees `predict` uses: up to the best round on the `eval_set`, or all.
    categories_ : list of str
        The columns of the training frame that have categories.
    feature_importances_ : array
        How often each feature is split on.
    history_ : list of Round

    Examples
    --------
    >>> from directrank.datasets import make_ranking
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
        self._check_parameters(eval_set)
        X = self._features(X, reset=True, y=y)
        task = _Task(measure, y, qid, X.shape[0])
        task.teach(self.sigma, query_weight)
        train = lgb.Dataset(X, label=np.asarray(y), categorical_feature=self._categories(), params=self._parameters())
        self.history_: list[Round] = []
        with _errors_of_lightgbm():
            booster = lgb.Booster(self._parameters(), train)
            validation = self._add_validation(booster, train, eval_set)
        with Interruptible() as boosting, _errors_of_lightgbm():
            self._boost(booster, task, validation, began)
        self._keep(booster)
        if boosting.interrupted:
            warnings.warn(f"LambdaMART was interrupted after {len(self.history_)} rounds", ConvergenceWarning, stacklevel=2)
        elif not np.any(self.feature_importances_):
            warnings.warn(
                f"LambdaMART learned nothing for {name_of(measure)}: no split of a feature helps; with little data, lower "
                "min_data_in_leaf",
                UserWarning,
                stacklevel=2,
            )
        return self

    def predict(self, X: Any) -> Floats:
        """A score for each row; higher is better."""
        check_is_fitted(self)
        X = self._features(X, reset=False)
        if self.best_iteration_ == 0:  # which LightGBM would take for all trees
            return np.zeros(X.shape[0])
        return np.asarray(self.booster_.predict(X, num_iteration=self.best_iteration_), np.float64)

    @property
    def feature_importances_(self) -> NDArray[Any]:
        """How often each feature is split on; ``booster_.feature_importance("gain")`` gives how much that gained."""
        check_is_fitted(self)
        return self.booster_.feature_importance(iteration=self.best_iteration_)

    def _boost(self, booster: lgb.Booster, task: _Task, validation: _Task | None, began: float) -> None:
        """Round after round, a tree on the lambdas at the scores so far."""
        for number in range(1, self.n_estimators + 1):
            can_split = self._update(booster, task)
            value = None if validation is None else booster.eval_valid(validation.evaluate)[-1][2]
            self.history_.append(Round(value, booster.current_iteration(), time.perf_counter() - began))
            if self.callback is not None:
                self.callback(number, self.history_[-1])
            if not can_split or self._is_late():
                break

    def _update(self, booster: lgb.Booster, task: _Task) -> bool:
        """Grow a tree; gives whether there is any feature to split on."""
        try:
            booster.update(fobj=task.lambdas)
        except lgb.basic.LightGBMError as error:
            if "num_features()) > (0)" in str(error):  # every feature is constant
                return False
            raise
        return True

    def _is_late(self) -> bool:
        """Whether the measure has not risen for long enough."""
        if self.early_stopping_rounds is None or self.history_[-1].validation is None:
            return False
        return len(self.history_) - len(until_best(self.history_)) >= self.early_stopping_rounds

    def _keep(self, booster: lgb.Booster) -> None:
        rounds = self.history_ if self._boosting() == "dart" else until_best(self.history_)
        self.best_iteration_ = rounds[-1].trees if rounds else 0
        self.booster_ = lgb.Booster(model_str=booster.model_to_string(num_iteration=-1))  # one that needs no data
        self.booster_.best_iteration = self.best_iteration_

    def _add_validation(self, booster: lgb.Booster, train: lgb.Dataset, eval_set: EvalSet | None) -> _Task | None:
        if eval_set is None:
            return None
        try:
            X, y, qid = eval_set
            X = self._features(X, reset=False)
            task = _Task(as_measure(self.measure), y, qid, X.shape[0])
        except ValueError as error:
            raise InputError(f"eval_set: {error}") from error
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

    def _check_parameters(self, eval_set: EvalSet | None) -> None:
        check_int(self.n_estimators, "n_estimators")
        check_int(self.random_state, "random_state", 0)
        check_positive(self.sigma, "sigma")
        if self.early_stopping_rounds is not None:
            check_int(self.early_stopping_rounds, "early_stopping_rounds")
            if eval_set is None or self._boosting() == "dart":
                raise InputError("early_stopping_rounds needs an eval_set, and trees that stay as they are (not dart)")
        if self._boosting() in ("rf", "random_forest"):
            raise InputError("LightGBM grows a random forest for its own objectives only; choose another boosting")
        for name in self._handed_on():
            _check_name(name)

    def _boosting(self) -> str:
        given = self._handed_on()
        return str(given.get("boosting", given.get("boosting_type", given.get("boost", "gbdt"))))

    def _categories(self) -> Any:
        """The categorical features, as LightGBM takes them: a list of numbers, or "auto" for those of a frame."""
        given = self._handed_on().get("categorical_feature", "auto")
        if isinstance(given, str) and given == "auto":
            return given
        parts = given.split(",") if isinstance(given, str) else np.atleast_1d(given).tolist()
        names = list(getattr(self, "feature_names_in_", []))
        try:
            return [names.index(part) if part in names else int(part) for part in parts]
        except ValueError as error:
            raise InputError(f"categorical_feature must be numbers or names of features, not {given!r}") from error

    def _handed_on(self) -> dict[str, Any]:
        ours = self._get_param_names()
        return {k: v for k, v in vars(self).items() if k not in ours and not k.startswith("_") and not k.endswith("_")}

    def _features(self, X: Any, reset: bool, y: Any = "no_validation") -> Any:
        """X checked; a frame with categories goes to LightGBM as it is."""
        kinds = dict(X.dtypes) if hasattr(X, "dtypes") and hasattr(X, "columns") else {}
        categories = [str(name) for name, kind in kinds.items() if str(kind) == "category"]
        if reset:
            self.categories_ = categories
        elif list(self.categories_) != categories:
            column = sorted({*self.categories_} ^ {*categories})[0]
            raise InputError(f"column {column!r} has categories here or in the training data, but not in both")
        if categories:
            validate_data(self, X, reset=reset, skip_check_array=True)
            if np.isinf(X.select_dtypes("number").to_numpy(np.float64)).any():
                raise InputError("X has infinite values; replace them, or use NaN where a value is missing")
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


def _check_name(name: str) -> None:
    """That a parameter is one of LightGBM's which we do not set ourselves."""
    aliases = lgb.basic._ConfigAliases._get_all_param_aliases()
    for main, others in aliases.items():
        if name in (main, *others):
            if main in _OURS:
                raise InputError(f"LambdaMART has no parameter {name!r}; {_OURS[main]}")
            return
    close = difflib.get_close_matches(name, [*aliases, *_OWN_NAMES], 1)
    raise InputError(
        f"neither LambdaMART nor LightGBM has a parameter {name!r}" + (f"; did you mean {close[0]}?" if close else "")
    )


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
        self.grades = self.queries.to_query_order(as_grades(y, n_rows))

    def teach(self, sigma: float, query_weight: ArrayLike | None) -> None:
        """Make ready for `lambdas`."""
        taught = teaching(self.measure, self.grades, self.queries.offsets)
        sizes = np.diff(self.queries.offsets)
        weights = query_weights(self.queries, query_weight, taught)
        self.weights, self.n_taught = np.repeat(weights, sizes), int(sizes[weights > 0].sum())
        self.sigma, self.scale = sigma, 0.0
        self.lambdas_of_measure = lambdas_of(self.measure)

    def lambdas(self, scores: Floats, _: lgb.Dataset) -> tuple[Floats, Floats]:
        """Gradient and hessian of each row, the mean hessian being 1 at first."""
        at = self.sigma * self.queries.to_query_order(scores)
        gradient, hessian = self.lambdas_of_measure(at, self.grades, self.queries.offsets)
        gradient, hessian = gradient * self.weights, hessian * self.weights * self.sigma
        if self.scale == 0.0:
            if not hessian.sum() > 0:
                raise InputError(f"no swap of two documents changes {name_of(self.measure)}: there is nothing to follow")
            self.scale = self.n_taught / float(hessian.sum())
        return self.queries.to_row_order(gradient * self.scale), self.queries.to_row_order(hessian * self.scale)

    def evaluate(self, scores: Floats, _: lgb.Dataset) -> tuple[str, float, bool]:
        """The mean of the measure, as LightGBM takes it: its name, its value, and that more is better."""
        values = value_of_each(self.measure, self.queries.to_query_order(scores), self.grades, self.queries.offsets)
        return name_of(self.measure), float(np.mean(values)), True

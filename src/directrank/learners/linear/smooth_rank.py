"""SmoothRank: a measure, smoothed and climbed."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Floats
from ...measures import SupportsEvaluate, require
from ...models import LinearModel, Model
from ..core.checks import check_int, check_positive
from ..core.estimator import LinearRanker
from ..core.folds import Folds, count_informative
from ..core.interruption import Interruptible
from ..core.rounds import Curves, curves, warn_interrupted, warn_learned_nothing, with_validation
from ..core.shards import Shards, mean_value
from ..core.task import value_of_weights
from ..search_space import OneOf
from ..svm.ranksvm import RankSVM
from .evidence import Evidence, smoothed_evidence, total_evidence
from .smoothed_objective import Point, SmoothedObjective

#: The penalties of ``penalty="auto"``: from models that stay near the start to such as go far from it.
PENALTIES = (2.0, 0.5, 0.125, 0.03125, 0.0078125)

#: Candidates are told apart by the measure smoothed with so much of sigma: nearer to the measure, but less noisy than it.
WIDTH_OF_EVIDENCE = 0.5


class Stage(NamedTuple):
    """What was reached with one penalty. The first stage is the start: its penalty is infinite.

    Attributes
    ----------
    penalty : float
    value : float
        The smoothed measure on the training queries.
    moved : float
        The mean variance within queries of the change of the scores; that of the start's scores is 1.
    validation : float or None
        The measure on the `eval_set`.
    seconds : float
        Since the training began.
    """

    penalty: float
    value: float
    moved: float
    validation: float | None
    seconds: float

    def __str__(self) -> str:
        return with_validation(f"penalty {self.penalty:g}, smoothed {self.value:.4f}", self.validation)


class SmoothRank(LinearRanker):
    r"""SmoothRank (Chapelle & Wu 2010): a linear model that climbs the measure itself, made smooth.

    .. math:: \max_w\ \sum_q v_q \left( \tilde m_q(X w; \sigma)
              - \lambda\, \mathrm{Var}_q(X w - X w_0) \right)

    The measure sees at each rank the mean gain of the documents of near score (see `measures.smoothing`), v are the queries'
    weights, and the start w_0 is that of `RankSVM`, scaled so that its scores have a mean variance within
    queries of 1: sigma and the penalty are then in the same units on any data. The penalty is on how far the scores move,
    so a linear change of the features changes neither it nor the maximum.

    The objective has many maxima. L-BFGS climbs from the start to one nearby with a large penalty, and from there on with
    smaller ones. The model is the mean of all that were found on the way, the start among them, each weighted by how far
    queries held out leave open that it is the best (see `evidence`): choosing the one best would mostly choose by luck.

    Parameters
    ----------
    measure : name or measure
        One that has `smooth`: all measures of rankings, and weighted sums of them.
    sigma : float
        The width of smoothing, in units of the spread of the start's scores.
    penalty : float or "auto"
        The lambda of the formula. "auto" takes the weighted mean over several, by the `eval_set` given to `fit`, or by `cv`
        folds of the training queries; of a single query it takes the mean.
    max_iter : int
        How many iterations of L-BFGS each penalty may have.
    tol : float
        They end where one raises the objective by no more.
    cv : int
        How many folds are made where there is no `eval_set`, for this and for the start.
    verbose : int
        Print a line each so many stages; 0 prints nothing.
    callback : callable, optional
        Called after each stage with its number and its `Stage`; the training ends if it returns True.

    Attributes
    ----------
    coef_ : array
        w.
    start_ : array
        w_0.
    C_ : float
        The C of the start.
    mixture_ : array
        The weight of each stage in the model.
    history_ : list of Stage

    Examples
    --------
    >>> from directrank.datasets import make_ranking
    >>> data = make_ranking(50, random_state=0)
    >>> model = SmoothRank("nDCG@5").fit(data.X, data.y, data.qid)
    >>> bool(model.history_[-1].value > model.history_[0].value)
    True
    """

    search_space = {"sigma": OneOf((0.0625, 0.125, 0.25, 0.5)), "max_iter": OneOf((5, 20))}

    def __init__(
        self,
        measure: str | type | SupportsEvaluate = "AP",
        *,
        sigma: float = 0.125,
        penalty: float | str = "auto",
        max_iter: int = 5,
        tol: float = 1e-5,
        cv: int = 5,
        verbose: int = 0,
        callback: Callable[[int, Stage], Any] | None = None,
    ) -> None:
        self.measure = measure
        self.sigma = sigma
        self.penalty = penalty
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.verbose = verbose
        self.callback = callback

    def _check_parameters(self, has_validation: bool) -> None:
        check_positive(self.sigma, "sigma")
        if self.penalty != "auto":
            check_positive(self.penalty, "penalty", "a number above 0 or 'auto'")
        check_int(self.max_iter, "max_iter")
        check_positive(self.tol, "tol")
        check_int(self.cv, "cv", 2)

    def _objective(self) -> SupportsEvaluate:
        return require(self.measure, "smooth", type(self).__name__)  # type: ignore[no-any-return]

    def _train(self, training: Shards, validation: Shards | None) -> Model:
        began = time.perf_counter()
        start = _start(RankSVM(cv=self.cv), training, validation)
        if not (start.interrupted_ or start.coef_.any()):
            warn_learned_nothing(type(self).__name__, ": features do not tell grades apart within queries")
        self.C_, coefs = start.C_, []
        self.history_: list[Stage] = []
        self.max_rounds_ = 1 + (len(PENALTIES) if self.penalty == "auto" else 1)
        with Interruptible() as climbing:
            for penalty, point in self._path(training, start):
                coefs.append(point.coef)
                on_validation = None if validation is None else mean_value(validation, value_of_weights, point.coef)
                self.history_.append(Stage(penalty, point.value, point.moved, on_validation, time.perf_counter() - began))
                self._see(LinearModel, point.coef)
                self._tell(len(self.history_), self.history_[-1])
            self.mixture_ = self._mixture(training, validation, np.array(coefs))
        if climbing.interrupted:
            warn_interrupted(type(self).__name__, self.history_, "stages")
            coefs = coefs or [start.coef_]
            self.mixture_ = np.full(len(coefs), 1 / len(coefs))
        self.start_ = coefs[0]
        return LinearModel(self.mixture_ @ np.array(coefs))

    def _path(self, training: Shards, start: RankSVM) -> Iterator[tuple[float, Point]]:
        """The start, and what is reached with one penalty after another, each from where the one before ended."""
        if start.interrupted_:
            raise KeyboardInterrupt
        objective = SmoothedObjective(training, start.coef_, self.sigma)
        point = objective.start
        yield np.inf, point
        for penalty in PENALTIES if self.penalty == "auto" else (float(self.penalty),):
            point = objective.climb(point, penalty, self.max_iter, self.tol)
            yield penalty, point

    def _mixture(self, training: Shards, validation: Shards | None, coefs: Floats) -> Floats:
        """The weight of each stage in the model."""
        width = WIDTH_OF_EVIDENCE * self.sigma
        if self.penalty != "auto":
            return np.array([0.0, 1.0])
        if validation is not None:
            return Evidence(*validation.total(smoothed_evidence, coefs, width)).weights()
        if count_informative(training) < 2:
            return np.full(len(coefs), 1 / len(coefs))
        folds, found = Folds(training, self.cv), []
        for i in range(folds.n_folds):
            without = folds.without(i)
            path = self._path(without, _start(RankSVM(self.C_), without))
            of_fold = np.array([point.coef for _, point in path])
            found.append(Evidence(*folds.only(i).total(smoothed_evidence, of_fold, width)))
        return total_evidence(found).weights()

    def _facts(self) -> dict[str, float]:
        return {"C": self.C_, "sigma": self.sigma, "weight of the start": float(self.mixture_[0])}

    def _history(self) -> Curves:
        """Stage after stage, the start first."""
        return curves(self.history_, {"smoothed": "value", "moved": "moved", "validation": "validation"})


def _start(svm: RankSVM, training: Shards, validation: Shards | None = None) -> RankSVM:
    """The start on some queries. That there is nothing to learn is not for it to say."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "RankSVM learned nothing", UserWarning)
        return svm.fit_shards(training, validation)

"""SmoothRank: a measure, smoothed and climbed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

import numpy as np

from ...arrays import Floats
from ...matrix.linear_operator import MatrixOperator
from ...measures import AUC, SupportsEvaluate, SupportsSmooth, require
from ...models import Model
from ..core.monitoring import Monitor, TrainingMonitor
from ..core.ranker import Ranker
from ..core.scaling import Scaled, check_basis, check_scaling
from ..core.shards import Folds, Shards, count_informative, mean_value
from ..core.task import Task, rebind, value_of_weights
from ..core.validation import check_int, check_positive
from ..core.warning import warn_learned_nothing
from ..search_space import OneOf
from ..svm.model_selection import PAIRWISE_SCALE, SearchForC, Solver, fit_convex, over_all_pairs
from ..svm.scaling_choice import scale_by_validation
from ..svm.solution import Solution, warn_unless_converged
from .smoothed_objective import Point, SmoothedObjective

#: Penalties of ``penalty="auto"``, from models near the start to models far from it.
PENALTIES = (2.0, 0.5, 0.125, 0.03125, 0.0078125)

#: Duality gap and maximum number of iterations of the Ranking SVM from which it starts.
START_TOL, START_MAX_ITER = 1e-3, 1000

#: Width of smoothing for the comparison of candidates, in units of sigma: nearer to the measure, but less noisy.
EVIDENCE_WIDTH = 0.5


class SmoothRank(Ranker):
    r"""SmoothRank (Chapelle & Wu 2010): a linear model that climbs the measure itself, made smooth.

    .. math:: \max_w\ \sum_q v_q \left( \tilde m_q(X w; \sigma)
              - \lambda\, \mathrm{Var}_q(X w - X w_0) \right)

    The measure sees at each rank the mean gain of the documents of near score (see `measures.smoothing`), v are the queries'
    weights, and the start w_0 is that of `RankSVM`, scaled so that its scores have a mean variance within
    queries of 1: sigma and the penalty are then in the same units on any data. The penalty is on how far the scores move,
    so a linear change of the features changes neither it nor the maximum.

    The objective has many maxima. L-BFGS climbs from the start to one nearby with a large penalty, and from there on with
    smaller ones. The model is the mean of all that were found on the way, the start among them, each weighted by how far
    queries held out leave open that it is the best (see `Evidence`): choosing the one best would mostly choose by luck.

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
        Maximum number of iterations of L-BFGS for each penalty.
    tol : float
        Smallest improvement of the objective by an iteration that counts.
    cv : int
        Number of folds without an `eval_set`, for the penalty and for the start.
    scaling, basis
        See `SVMRanker`.
    verbose : int
        Print progress every `verbose` stages; 0 is silent.

    Attributes
    ----------
    coef_ : array
        w.
    start_ : array
        w_0.
    C_ : float
        C of the start.
    mixture_ : array
        Weight of each stage in the model.
    history_ : list of Progress
        One entry for each stage, the start first; `info` has the `smoothed` measure on the training queries, the `penalty`
        (infinite for the start), and how far the scores `moved`: the mean variance within queries of their change.
    best_iteration_, best_score_, evals_result_
        See `Ranker`; the model has all stages.

    Examples
    --------
    >>> from directrank.datasets import make_ranking
    >>> data = make_ranking(50, random_state=0)
    >>> model = SmoothRank("nDCG@5").fit(data.X, data.y, data.qid)
    >>> bool(model.history_[-1].info["smoothed"] > model.history_[0].info["smoothed"])
    True
    """

    _info_curves = ("smoothed", "moved")

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
        scaling: str = "auto",
        basis: str = "linear",
        verbose: int = 0,
    ) -> None:
        self.measure = measure
        self.sigma = sigma
        self.penalty = penalty
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.scaling = scaling
        self.basis = basis
        self.verbose = verbose

    def _check_parameters(self, has_validation: bool) -> None:
        check_positive(self.sigma, "sigma")
        if self.penalty != "auto":
            check_positive(self.penalty, "penalty", "a number above 0 or 'auto'")
        check_int(self.max_iter, "max_iter")
        check_positive(self.tol, "tol")
        check_int(self.cv, "cv", 2)
        check_scaling(self.scaling)
        check_basis(self.basis)

    def _objective(self) -> SupportsEvaluate:
        return require(self.measure, "smooth", type(self).__name__)  # type: ignore[no-any-return]

    def _train(self, training: Shards, validation: Shards | None, monitor: TrainingMonitor) -> Model:
        scaled = scale_by_validation(training, validation, self.scaling, self.basis)
        training, validation = scaled.training, None if validation is None else scaled.held_out(validation)
        start = self._fit_start(training, validation, SearchForC(None, None, self.cv), monitor)
        if not monitor.ended:
            warn_unless_converged("RankSVM, from which SmoothRank starts,", start, START_TOL)
        if start.is_zero:
            warn_learned_nothing(type(self).__name__, ": features do not tell grades apart within queries")
        self.C_, coefs = start.C, list[Floats]()
        monitor.n_steps = 1 + (len(PENALTIES) if self.penalty == "auto" else 1)
        mixture = None
        with monitor.interruptible():
            self._climb(scaled, validation, start, coefs, monitor)
            if not monitor.ended:
                mixture = self._mixture(training, validation, np.array(coefs), monitor)
        coefs = coefs or [start.coef]
        self.mixture_ = np.full(len(coefs), 1 / len(coefs)) if mixture is None else mixture
        self.start_, self.best_iteration_ = scaled.coef(coefs[0]), len(monitor.history)
        return scaled.model(self.mixture_ @ np.array(coefs))

    def _climb(
        self, scaled: Scaled, validation: Shards | None, start: Solution, coefs: list[Floats], monitor: TrainingMonitor
    ) -> None:
        """Stage after stage; `coefs` gets the weights of each."""
        if monitor.ended:
            return
        for penalty, point in self._path(scaled.training, start):
            coefs.append(point.coef)
            if monitor.round(
                validation=None if validation is None else mean_value(validation, value_of_weights, point.coef),
                info={"smoothed": point.value, "penalty": penalty, "moved": point.moved},
                model=lambda coef=point.coef: scaled.model(coef),  # type: ignore[misc]
            ):
                return

    def _fit_start(
        self, training: Shards, validation: Shards | None, search: SearchForC, monitor: TrainingMonitor
    ) -> Solution:
        """The Ranking SVM of some queries."""
        held_out = None if validation is None else validation.map(rebind, AUC())
        solver = Solver(START_TOL, START_MAX_ITER, Monitor())
        solution = fit_convex(solver, over_all_pairs(training), held_out, search, PAIRWISE_SCALE)
        monitor.interrupted |= solver.monitor.interrupted
        return solution

    def _path(self, training: Shards, start: Solution) -> Iterator[tuple[float, Point]]:
        """The start, and the optimum for one penalty after another, each from the one before."""
        objective = SmoothedObjective(training, start.coef, self.sigma)
        point = objective.start
        yield np.inf, point
        for penalty in PENALTIES if self.penalty == "auto" else (float(self.penalty),):
            point = objective.climb(point, penalty, self.max_iter, self.tol)
            yield penalty, point

    def _mixture(
        self, training: Shards, validation: Shards | None, coefs: Floats, monitor: TrainingMonitor
    ) -> Floats | None:
        """Weight of each stage in the model; None if the user interrupts."""
        width = EVIDENCE_WIDTH * self.sigma
        if self.penalty != "auto":
            return np.array([0.0, 1.0])
        if validation is not None:
            return Evidence(*validation.total(smoothed_evidence, coefs, width)).weights()
        if count_informative(training) < 2:
            return np.full(len(coefs), 1 / len(coefs))
        folds, found = Folds(training, self.cv), []
        for i in range(folds.n_folds):
            without = folds.without(i)
            start = self._fit_start(without, None, SearchForC(self.C_), monitor)
            if monitor.ended:
                return None
            fold_coefs = np.array([point.coef for _, point in self._path(without, start)])
            found.append(Evidence(*folds.only(i).total(smoothed_evidence, fold_coefs, width)))
        return total_evidence(found).weights()

    @property
    def _round_of_model(self) -> int:
        return 0

    def _facts(self) -> dict[str, float]:
        return {"C": self.C_, "sigma": self.sigma, "weight of the start": float(self.mixture_[0])}


class Evidence(NamedTuple):
    """Sums and products of the values of candidate models on held-out queries; they add up over shards and folds.

    If candidates differ by less than the noise of the queries, the best one by validation is mostly the luckiest. So the
    weight of each is the p-value of a paired test (normal, two-sided) that it is as good as the best: candidates that are
    hardly worse than the best count nearly as much, clearly worse ones hardly at all.

    Attributes
    ----------
    n_queries : int
    sums : array
        Sum over the queries of each candidate's values, or of their differences from one candidate's.
    products : array
        Sum over the queries of the products of two candidates' values, taken likewise.
    """

    n_queries: int
    sums: Floats
    products: Floats

    def weights(self) -> Floats:
        """Weight of each candidate; they add up to 1, and are equal without queries."""
        if self.n_queries == 0:
            return np.full(self.sums.size, 1 / self.sums.size)
        means = self.sums / self.n_queries
        best = int(np.argmax(means))
        behind = means[best] - means
        own = np.diag(self.products)
        squares = np.maximum(own - 2 * self.products[best] + own[best], 0.0) / self.n_queries
        errors = np.sqrt(np.maximum(squares - behind**2, 0.0) / max(self.n_queries - 1, 1))
        weights = np.array([_p_value(*pair) for pair in zip(behind, errors, strict=True)])
        return weights / weights.sum()


def smoothed_evidence(task: Task, coefs: Floats, sigma: float) -> Evidence:
    """Evidence from the smoothed values of the queries of weight above 0, at several weight vectors."""
    counts = task.weights > 0
    scores = (task.operator.matvec(coef) for coef in coefs)
    bound = cast(SupportsSmooth, task.bound)
    values = np.array([bound.smooth(candidate, sigma).values[counts] for candidate in scores])
    values -= values[0]  # a common offset would cost digits
    return Evidence(int(counts.sum()), values.sum(axis=1), np.array([MatrixOperator(values).matvec(own) for own in values]))


def total_evidence(parts: Sequence[Evidence]) -> Evidence:
    """Evidence from several sets of queries, whose candidates were trained the same way."""
    n_queries, sums, products = zip(*parts, strict=True)
    return Evidence(sum(n_queries), np.sum(sums, axis=0), np.sum(products, axis=0))


def _p_value(behind: float, error: float) -> float:
    if behind <= 0:
        return 1.0
    return math.erfc(behind / error / math.sqrt(2)) if error > 0 else 0.0

r"""Scaling of the features of linear learners, and their missing values, as part of the model.

The features are brought onto comparable scales before training (`FeatureScaling`), by statistics that are the same for any
order of rows and any shards. The division is undone in the weights, so that a model has weights of the user's features, or
of their signed logarithms. Scaling within queries is a step before all that, in training as in the model; a piecewise-linear
basis is the step after it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ...arrays import Bools, Floats
from ...data import InputError
from ...matrix.feature_scaling import FeatureScaling, signed_log
from ...models import LinearModel, Model, PipelineModel
from ...models.composite.steps import FeatureMap, PiecewiseBasis, QueryScaling, Step
from .column_moments import MIN_RANGE, Moments, Ranges, column_moments, column_ranges
from .missing_values import expected_values, z_of_missing
from .quantile_knots import quantile_knots
from .shards import Shards
from .task import Task, with_features
from .validation import LARGEST_VALUE, TooLargeError, check_choice

#: Ways to scale features.
SCALINGS = ("auto", "none", "standard", "log", "query")

#: What is learned of a feature: a weight, or a piecewise-linear function.
BASES = ("linear", "piecewise")

#: Ranks at which the hinges of the piecewise-linear functions begin.
HINGES = (0.25, 0.5, 0.75)

#: Divisor of ranks and hinges: the standard deviation of the ranks of distinct values.
RANK_DEVIATION = 12**-0.5

#: A column of "auto" whose largest absolute value is above the first and at most the second stays as it is.
BOUNDED = (0.5, 1.0)

#: Kurtosis of a heavy tail (a normal distribution has 3), of which the logarithm must leave no more than a share.
HEAVY_KURTOSIS, LIGHTER = 4.0, 0.7

#: Standard deviation of a column, relative to its largest value, below which it is constant but for rounding.
ROUNDING = 1e-12

#: Absolute z-value of missing values beyond which they have an indicator column: see `missing_values`.
INFORMATIVE = 3.0


def check_scaling(scaling: Any, *, has_queries: bool = True) -> None:
    """Raise an `InputError` for a parameter `scaling` that makes no sense."""
    if scaling == "query" and not has_queries:
        raise InputError("scaling='query' needs queries, and a classifier has none; take 'auto', 'standard' or 'log'")
    check_choice(scaling, "scaling", SCALINGS)


def check_basis(basis: Any, kernel: Any = "linear") -> None:
    """Raise an `InputError` for a parameter `basis` that makes no sense."""
    check_choice(basis, "basis", BASES)
    if basis == "piecewise" and kernel != "linear":
        raise InputError("basis='piecewise' is for linear models, and a kernel is nonlinear itself; take basis='linear'")


class Scaled(NamedTuple):
    """Training shards with scaled features, and the way from the weights of these to a model of the user's features.

    Attributes
    ----------
    training : Shards
    features : FeatureScaling
    within : QueryScaling, or None
        Scaling within queries, before that of the columns.
    basis : PiecewiseBasis, or None
        Piecewise-linear functions of the features, after those, before the scaling of the columns.
    """

    training: Shards
    features: FeatureScaling
    within: QueryScaling | None = None
    basis: PiecewiseBasis | None = None

    def held_out(self, shards: Shards) -> Shards:
        """Other queries, with the features as the training queries have them."""
        return _scaled(_with_basis(_within_queries(shards, self.within), self.basis), self.features)

    def column_of(self, feature: int) -> int:
        """The user's column that a scaled feature is made of, or whose missing values it indicates; without a basis."""
        n_features = self.features.n_features
        return feature if feature < n_features else int(self.features.indicators[feature - n_features])

    def coef(self, w: Floats) -> Floats:
        """The weights of `model`, of the features after its steps."""
        return self.features.unfolded(w)[0]

    def model(self, w: Floats, intercept: float = 0.0, classes: list[Any] | None = None) -> Model:
        """The model of the user's features, for weights of the scaled ones."""
        return after_steps(self._first, linear_model(self.features, w, intercept, classes))

    def model_of_scaled(self, model: Model) -> Model:
        """The model of the user's features, for one of the scaled ones, which need not be linear."""
        return after_steps([*self._first, *([] if self.features.is_identity else [FeatureMap.of(self.features)])], model)

    @property
    def _first(self) -> list[Step]:
        return [step for step in (self.within, self.basis) if step is not None]


def scale(training: Shards, scaling: str, basis: str | PiecewiseBasis = "linear", *, joined: bool = False) -> Scaled:
    """Scale the features of training shards, and fill in their missing values.

    Parameters
    ----------
    training : Shards
    scaling : {"auto", "none", "standard", "log", "query"}
    basis : {"linear", "piecewise"}, or PiecewiseBasis
        See `SVMRanker`; or the basis that an earlier scaling of the same shards found.
    joined : bool
        Whether the rows of all shards are learned from as one set of two classes.
    """
    within = QueryScaling("min-max", training.n_features) if scaling == "query" else None
    training = _within_queries(training, within)
    known, width = basis if isinstance(basis, PiecewiseBasis) else None, training.n_features
    functions = _piecewise_basis(training) if basis == "piecewise" else known
    training = _with_basis(training, functions)
    features = _feature_scaling(training, "none" if within else scaling, joined, width)
    return Scaled(_scaled(training, features), features, within, functions)


def fill_lowest(training: Shards) -> Scaled:
    """Fill missing values with the lowest value of their column, which ranks them last; nothing is scaled."""
    ranges, features = column_ranges(training), FeatureScaling.identity(training.n_features)
    fill = np.where((ranges.n_missing > 0) & (ranges.n_present > 0), ranges.low, 0.0)
    return scaled_by(training, FeatureScaling(features.log_features, features.divisor, fill, features.indicators))


def scaled_by(training: Shards, features: FeatureScaling) -> Scaled:
    """Training shards with scaled features; the same shards if that changes nothing."""
    return Scaled(_scaled(training, features), features)


def linear_model(
    features: FeatureScaling, w: Floats, intercept: float = 0.0, classes: list[Any] | None = None
) -> LinearModel:
    """The linear model of the user's features, for weights of the scaled ones."""
    coef, if_missing = features.unfolded(w)
    known = if_missing if np.any(if_missing) else None
    return LinearModel(coef, intercept, classes, features.log_features, known)


def after_steps(steps: list[Step], model: Model) -> Model:
    """The model of features before the steps, if there are any."""
    return PipelineModel(steps, model) if steps else model


class WiderShards(Shards):
    """Shards whose tasks have more features than they were made with; `Shards.map` promises as many as before.

    Parameters
    ----------
    shards : Shards
    n_features : int
    """

    def __init__(self, shards: Shards, n_features: int) -> None:
        self.shards, self.n_features = shards, n_features

    def each(self, step: Callable[..., Any], *args: Any) -> list[Any]:
        return self.shards.each(step, *args)

    def map(self, change: Callable[..., Task], *args: Any) -> WiderShards:
        return WiderShards(self.shards.map(change, *args), self.n_features)


def _within_queries(shards: Shards, scaling: QueryScaling | None) -> Shards:
    return shards if scaling is None else shards.map(with_scaled_queries, scaling)


def with_scaled_queries(task: Task, scaling: QueryScaling) -> Task:
    return with_features(task, scaling.apply(task.X, task.queries))


def _piecewise_basis(training: Shards) -> PiecewiseBasis | None:
    """The basis, if any feature has knots."""
    training.each(_check_dense)
    knots, ranks = (list(part) for part in zip(*quantile_knots(training, column_ranges(training)), strict=True))
    return PiecewiseBasis(knots, ranks, np.array(HINGES)) if any(part.size for part in knots) else None


def _check_dense(task: Task) -> None:
    if sparse.issparse(task.X):
        raise InputError("basis='piecewise' would make a sparse X dense; pass X.toarray(), or take basis='linear'")


def _with_basis(shards: Shards, basis: PiecewiseBasis | None) -> Shards:
    return shards if basis is None else WiderShards(shards.map(with_basis_functions, basis), basis.n_features_out)


def with_basis_functions(task: Task, basis: PiecewiseBasis) -> Task:
    return with_features(task, basis.apply(task.X, task.queries))


def _scaled(shards: Shards, features: FeatureScaling) -> Shards:
    scaled = shards.map(with_scaled_features, features)
    return WiderShards(scaled, features.n_features_out) if features.indicators.size else scaled


def with_scaled_features(task: Task, features: FeatureScaling) -> Task:
    X = features.apply(task.X)
    return replace(task, memory={}) if X is task.X else with_features(task, X)


def _feature_scaling(training: Shards, scaling: str, joined: bool, width: int) -> FeatureScaling:
    """Scaling of the columns: the first `width` are the user's; the rest, of a basis, have one divisor and no indicators."""
    ranges = column_ranges(training)
    gaps, own = (ranges.n_missing > 0) & (ranges.n_present > 0), np.arange(ranges.low.size) < width
    scaled = _is_scaled(ranges, scaling) & own
    if np.any(ranges.largest[scaled | gaps] > LARGEST_VALUE):
        raise TooLargeError
    is_log, moments = _choose_logs(training, ranges, scaled, scaling)
    largest = np.where(is_log, signed_log(_finite(ranges.largest)), ranges.largest)
    divisor = np.where(scaled, _divisor(moments, largest), np.where(own, 1.0, RANK_DEVIATION))
    plain, logs = (
        expected_values(training, ranges, gaps & (is_log == taken), is_log=taken, joined=joined) for taken in (False, True)
    )
    columns = np.flatnonzero(gaps[:width])
    indicators = columns[np.abs(z_of_missing(training, columns, joined=joined)) > INFORMATIVE] if columns.size else columns
    return FeatureScaling(np.flatnonzero(is_log), divisor, (plain + logs) / divisor, indicators)


def _choose_logs(training: Shards, ranges: Ranges, scaled: Bools, scaling: str) -> tuple[Bools, Moments]:
    """Whether the logarithm of each column is taken, and the moments of the scaled columns after that."""
    is_log = scaled & (scaling == "log")
    moments = column_moments(training, ranges, scaled & ~is_log, is_log=False)
    tails = scaled & (moments.kurtosis > HEAVY_KURTOSIS) if scaling == "auto" else is_log
    logs = column_moments(training, ranges, tails, is_log=True)
    if scaling == "auto":
        is_log = tails & (logs.kurtosis < LIGHTER * moments.kurtosis)
    return is_log, Moments(*(np.where(is_log, *pair) for pair in zip(logs, moments, strict=True)))


def _is_scaled(ranges: Ranges, scaling: str) -> Bools:
    """Whether each column is scaled: in "auto" not one that is bounded."""
    is_bounded = (ranges.largest > BOUNDED[0]) & (ranges.largest <= BOUNDED[1])
    stays = is_bounded if scaling == "auto" else np.full(is_bounded.shape, scaling == "none")
    return (ranges.n_present > 0) & (ranges.largest > MIN_RANGE) & ~stays


def _finite(largest: Floats) -> Floats:
    """Largest values, and 0 for columns without values."""
    return np.where(np.isfinite(largest), largest, 0.0)


def _divisor(moments: Moments, largest: Floats) -> Floats:
    """Standard deviation; largest absolute value of a column that is constant but for rounding, unless that is tiny."""
    constant = np.where(largest > MIN_RANGE, largest, 1.0)
    return np.where(moments.deviation > np.maximum(ROUNDING * largest, MIN_RANGE), moments.deviation, constant)

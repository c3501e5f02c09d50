"""The space that a structural SVM's weights are in: that of the features, or that of a kernel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from ...arrays import Floats
from ...data import InputError
from ...matrix.mercer_kernels import KINDS, Kernel, as_float64, resolve_gamma
from ...matrix.stacking import stacked
from ...models import KernelExpansion, LinearModel, Model
from ..core.checks import check_int, check_positive, is_number
from ..core.shards import LocalShards, Shards
from ..core.task import Task
from ..core.warning import warn
from .kernel_basis import KernelBasis, OtherRows, TrainingRows

#: With more rows than this a kernel takes very long.
MANY_ROWS = 20_000

#: The coefficient of a row, over the largest, below which it is what rounding left of 0.
NEGLIGIBLE = 1e-12


class KernelSettings(Protocol):
    """What an SVM says about its kernel, in scikit-learn's words."""

    kernel: str | Callable[[Any, Any], Any]
    gamma: float | str
    degree: int
    coef0: float


class Space(ABC):
    """Where the weights are.

    Attributes
    ----------
    training : Shards
        The training queries, with X w for the weights w of this space.
    has_constant : bool
        Whether the last weight is that of a constant feature, beside those of X.
    """

    training: Shards
    has_constant = False

    @abstractmethod
    def held_out(self, validation: Shards) -> Shards:
        """Other queries, with X w for the weights w of this space."""

    @abstractmethod
    def coefficients(self, w: Floats) -> Floats:
        """Weights as the user has them: of features, or of training rows."""

    @abstractmethod
    def model(self, w: Floats, classes: list[Any] | None = None) -> Model:
        """What was learned, as a value."""


class FeatureSpace(Space):
    """That of the features.

    Parameters
    ----------
    training : Shards
    has_constant : bool
    """

    def __init__(self, training: Shards, has_constant: bool) -> None:
        self.training, self.has_constant = training, has_constant

    def held_out(self, validation: Shards) -> Shards:
        return validation

    def coefficients(self, w: Floats) -> Floats:
        return w

    def model(self, w: Floats, classes: list[Any] | None = None) -> Model:
        return LinearModel(w[:-1], float(w[-1]), classes) if self.has_constant else LinearModel(w, classes=classes)


class KernelSpace(Space):
    """That of a kernel, in this process: rows that live elsewhere are brought here.

    What weights mean depends on the planes that were made before, so the basis must not be lost with a shard.

    Parameters
    ----------
    settings : KernelSettings
    training : Shards
    width : int
        How many features there are, those that no row has included.
    intercept : bool
        Whether there is a constant feature among those of the kernel.
    """

    def __init__(self, settings: KernelSettings, training: Shards, width: int, intercept: bool) -> None:
        tasks = training.each(_itself)
        rows = as_float64(stacked([task.X for task in tasks]))
        if rows.shape[0] > MANY_ROWS:
            why = f"a kernel's time grows with the square of the number of rows, and there are {rows.shape[0]:,}"
            warn(f"{why}; put scikit-learn's Nystroem before kernel='linear'", UserWarning)
        gamma = 1.0 if callable(settings.kernel) else resolve_gamma(settings.gamma, rows, width)
        kernel = Kernel(settings.kernel, gamma, int(settings.degree), float(settings.coef0), float(intercept))
        self.basis = KernelBasis(kernel, rows)
        stops = np.cumsum([task.n_documents for task in tasks]).tolist()
        parts = [TrainingRows(self.basis, stop - task.n_documents, stop) for task, stop in zip(tasks, stops, strict=True)]
        self.training = LocalShards([replace(task, X=part, memory={}) for task, part in zip(tasks, parts, strict=True)])

    def held_out(self, validation: Shards) -> Shards:
        tasks = validation.each(_itself)
        return LocalShards([replace(task, X=OtherRows(self.basis, as_float64(task.X)), memory={}) for task in tasks])

    def coefficients(self, w: Floats) -> Floats:
        return self.basis.expansion(w)

    def model(self, w: Floats, classes: list[Any] | None = None) -> Model:
        coefficients, kernel = self.basis.expansion(w), self.basis.kernel
        used = np.abs(coefficients) > NEGLIGIBLE * np.max(np.abs(coefficients), initial=0.0)
        intercept = kernel.constant * float(np.sum(coefficients[used]))
        without = replace(kernel, constant=0.0)
        return KernelExpansion(self.basis.rows[used], coefficients[used], without, intercept, classes)


def space_of(settings: KernelSettings, training: Shards, width: int, *, intercept: bool = False) -> Space:
    """The space of an SVM's weights."""
    if settings.kernel == "linear":
        return FeatureSpace(training, intercept)
    return KernelSpace(settings, training, width, intercept)


def check_kernel(settings: KernelSettings) -> None:
    """Refuse parameters that make no sense."""
    if not (callable(settings.kernel) or settings.kernel in KINDS):
        named = ", ".join(map(repr, KINDS))
        raise InputError(f"kernel must be {named} or a function of two sets of rows, not {settings.kernel!r}")
    if not (isinstance(settings.gamma, str) and settings.gamma in ("scale", "auto")):
        check_positive(settings.gamma, "gamma", "a number above 0, 'scale' or 'auto'")
    check_int(settings.degree, "degree")
    if not (is_number(settings.coef0) and np.isfinite(settings.coef0)):
        raise InputError(f"coef0 must be a finite number, not {settings.coef0!r}")


def _itself(task: Task) -> Task:
    return task

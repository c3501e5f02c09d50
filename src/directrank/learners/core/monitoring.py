"""Progress of a training: values after each step, callbacks, and whether the user ended it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...arrays import Floats
from ...caching import cached_property
from ...data import InputError
from ...measures import SupportsEvaluate, name_of
from ...models import Model
from .shards import Shards, mean_over_all
from .validation import TRAINING, VALIDATION
from .watchlist import Evals, Watchlist

#: Values of a measure that differ by less are equally good.
EQUAL_VALUES = 1e-12


@dataclass(frozen=True)
class Progress:
    """State of a training after one step: a boosting round, a sweep, or an iteration of a solver.

    Attributes
    ----------
    step : int
        Number of the step, counted from 1 over the whole training: an SVM that selects C solves several problems.
    n_steps : int or None
        Number of steps of the whole training, if it is known.
    evals : dict
        Value of each measure on each set: ``evals["validation"]["nDCG@10"]``. The learner's own measure comes first.
    seconds : float
        Time since the training began.
    info : dict
        The learner's own facts, such as `gap`, `alpha` or `trees`. The most telling one comes first.
    """

    step: int
    n_steps: int | None
    evals: Evals
    seconds: float
    info: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        shown = [(name, next(iter(values.values()))) for name, values in self.evals.items()]
        if TRAINING not in self.evals:
            shown = [*list(self.info.items())[:1], *shown]
        return ", ".join(f"{name} {value:.4g}" for name, value in shown)

    @property
    def seconds_left(self) -> float | None:
        """Estimated time to the last step; None if the number of steps is not known."""
        return None if self.n_steps is None else self.seconds / self.step * (self.n_steps - self.step)


#: Function that is called after each step; one that returns True ends the training.
Callback = Callable[[Progress], Any]


def check_callbacks(callbacks: Any) -> list[Callback]:
    """Callbacks given to `fit` as a list, or an error that says what they must be."""
    if callbacks is None:
        return []
    if callable(callbacks) or not isinstance(callbacks, Iterable):
        raise InputError(f"callbacks must be a list of functions, as in callbacks=[print], not {callbacks!r}")
    for callback in callbacks:
        if not callable(callback):
            raise InputError(f"callbacks must be functions of a Progress, not {callback!r}")
        if (getattr(callback, "__module__", None) or "").partition(".")[0] in ("lightgbm", "xgboost"):
            raise InputError(
                "callbacks of LightGBM and XGBoost do not work here; use early_stopping_rounds, verbose=10 (a line every "
                "ten rounds) and evals_result_, or a function of a Progress"
            )
    return list(callbacks)


class Monitor:
    """Callbacks and verbose output of a training, and whether the user ended it.

    Parameters
    ----------
    title : str
        Start of each line of verbose output.
    verbose : int
        Print progress every `verbose` steps; 0 is silent.
    callbacks : sequence of callables

    Attributes
    ----------
    n_steps : int or None
        Number of steps of the whole training, if it is known; the learner sets it.
    stopped, interrupted : bool
        Whether a callback, or Ctrl-C, ended the training.
    """

    def __init__(self, title: str = "", *, verbose: int = 0, callbacks: Sequence[Callback] = ()) -> None:
        self.title, self.verbose, self.callbacks = title, verbose, callbacks
        self.n_steps: int | None = None
        self.stopped = self.interrupted = False
        self._n_iterations = 0
        self._began = time.perf_counter()

    @property
    def ended(self) -> bool:
        """Whether the user ended the training."""
        return self.stopped or self.interrupted

    @property
    def seconds(self) -> float:
        """Time since the training began."""
        return time.perf_counter() - self._began

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Let Ctrl-C end the block, and remember it."""
        try:
            yield
        except KeyboardInterrupt:
            self.interrupted = True

    def iteration(self, seconds: float, info: dict[str, Any]) -> bool:
        """Report an iteration of a solver, which keeps its own history; whether to end the training.

        Iterations are counted over all problems that a fit solves.
        """
        self._n_iterations += 1
        return self.tell(Progress(self._n_iterations, self.n_steps, {}, seconds, info))

    def tell(self, progress: Progress) -> bool:
        """Print progress and call the callbacks; whether to end the training."""
        if self.verbose > 0 and progress.step % self.verbose == 0:
            print(verbose_line(self.title, progress), flush=True)
        answers = [callback(progress) for callback in self.callbacks]
        self.stopped |= any(isinstance(answer, (bool, np.bool_)) and bool(answer) for answer in answers)
        return self.ended


class TrainingMonitor(Monitor):
    """Monitor of a training in rounds, with its history.

    Parameters
    ----------
    title, verbose, callbacks
        See `Monitor`.
    measure : measure
    training : Shards
        Weighted for training: values of the training queries are reported as means over all of them.
    watchlist : Watchlist, optional

    Attributes
    ----------
    history : list of Progress
        One entry for each round.
    """

    def __init__(
        self,
        title: str,
        measure: SupportsEvaluate,
        training: Shards,
        *,
        verbose: int = 0,
        callbacks: Sequence[Callback] = (),
        watchlist: Watchlist | None = None,
    ) -> None:
        super().__init__(title, verbose=verbose, callbacks=callbacks)
        self.measure, self.training, self.watchlist = name_of(measure), training, watchlist
        self.history: list[Progress] = []
        self._measure = measure

    @property
    def evaluates_each_round(self) -> bool:
        """Whether the model of each round is evaluated on further sets or by further measures."""
        return self.watchlist is not None and self.watchlist.each_round

    def round(
        self,
        *,
        training: float | None = None,
        validation: float | None = None,
        info: dict[str, Any] | None = None,
        evals: Evals | None = None,
        model: Callable[[], Model] | None = None,
    ) -> bool:
        """Report a round, and keep it in the history.

        Parameters
        ----------
        training : float, optional
            Mean of the measure over the queries that are learned from.
        validation : float, optional
            Mean of the measure over the validation set.
        info : dict, optional
            See `Progress`.
        evals : dict, optional
            Values on the watchlist, if the learner has evaluated it.
        model : callable, optional
            Makes the model so far, to be evaluated on the watchlist.

        Returns
        -------
        bool
            Whether to end the training.
        """
        own = {TRAINING: None if training is None else self.mean_over_all(training), VALIDATION: validation}
        if evals is None and model is not None and self.watchlist is not None and self.evaluates_each_round:
            evals = self.watchlist.evaluate(model())
        known = {name: {self.measure: value} for name, value in own.items() if value is not None}
        step = Progress(len(self.history) + 1, self.n_steps, evals or known, self.seconds, info or {})
        self.history.append(step)
        return self.tell(step)

    def raise_without_rounds(self) -> None:
        """Raise KeyboardInterrupt if Ctrl-C came before the end of the first round, so that there is no model to keep."""
        if self.interrupted and not self.history:
            raise KeyboardInterrupt

    def mean_over_all(self, mean: float) -> float:
        """Mean over all training queries, from the mean over those that are learned from."""
        constant, factor = self._over_all
        return constant + factor * mean

    def best_round(self, default: str | None = None) -> int:
        """Number of rounds up to the best one on the validation set, or on the `default` set without one; else of all."""
        return best_round(self.history, self.measure, default)

    def should_stop_early(self, patience: int | None, default: str | None = None) -> bool:
        """Whether the measure has not risen for `patience` rounds."""
        return patience is not None and len(self.history) - self.best_round(default) >= patience

    @cached_property
    def _over_all(self) -> tuple[float, float]:
        return mean_over_all(self.training, self._measure)


def best_round(history: Sequence[Progress], measure: str, default: str | None = None) -> int:
    """Number of rounds up to the best one on the validation set, or on the `default` set without one; else all."""
    if not history:
        return 0
    chosen = VALIDATION if VALIDATION in history[0].evals else default
    if chosen is None or chosen not in history[0].evals:
        return len(history)
    return first_best(np.array([progress.evals[chosen][measure] for progress in history])) + 1


def first_best(values: Floats) -> int:
    """Index of the highest value, and of the first of equally good ones."""
    return int(np.argmax(values >= values.max() - EQUAL_VALUES))


def verbose_line(name: str, progress: Progress) -> str:
    """Line that `verbose` prints for a step.

    Examples
    --------
    >>> verbose_line("LambdaMART(AP)", Progress(20, 300, {"training": {"AP": 0.5123}}, 1.0))
    'LambdaMART(AP): 20 of 300: training 0.5123 (14 s left)'
    """
    total = "" if progress.n_steps is None else f" of {progress.n_steps}"
    left = f" ({progress.seconds_left:.0f} s left)" if progress.seconds_left else ""
    return f"{name}: {progress.step}{total}: {progress}{left}"

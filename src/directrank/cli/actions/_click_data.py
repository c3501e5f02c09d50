"""Click logs for commands: reading them, and ranking data labelled by clicks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ...arrays import Floats
from ...clicks.click_labels import label_by_clicks
from ...clicks.click_log import ClickLog
from ...clicks.estimators import ESTIMATORS, effective_clicks, gains
from ...clicks.log_reader import read_click_log
from ...clicks.position_bias import PositionBias
from ...data import InputError, RankingData
from ...measures import SupportsEvaluate, name_of
from ..console.progress import spinner
from ..console.streams import note
from ..options.click_logs import ClickOptions
from ._data import STANDARD_INPUT, display_files, noting_warnings

#: Effective number of clicks below which gains are mostly noise.
FEW_CLICKS = 1_000


class Clicks(NamedTuple):
    """A log, and the gain of each of its pairs."""

    log: ClickLog
    gains: Floats

    def label(self, files: Sequence[str | Path], data: RankingData) -> RankingData:
        """The rows of logged queries, labelled by gains; what does not join is noted."""
        try:
            found = label_by_clicks(data, self.log, self.gains)
        except InputError as error:
            raise InputError(f"{display_files(files)}: {error}") from error
        note(f"{display_files(files)}: {found}")
        return found.data


def read_log(files: Sequence[str], columns: Mapping[str, str]) -> ClickLog:
    """Read a click log, and note what the reader assumed."""
    paths = [STANDARD_INPUT if os.fspath(file) == "-" else Path(file) for file in files]
    try:
        with noting_warnings(), spinner(f"Reading {display_files(files)}"):
            log = read_click_log(paths, **columns)
    except InputError as error:
        raise InputError(str(error).replace(str(STANDARD_INPUT), "standard input")) from error
    for line in log.notes:
        note(f"{display_files(files)}: {line}")
    return log


def read_clicks(options: ClickOptions, measure: SupportsEvaluate) -> Clicks | None:
    """The click log to train from, and its gains; None without one."""
    if options.clicks is None:
        unused = [word for word in options.arguments() if word.startswith("--")]
        if unused:
            raise InputError(f"{unused[0]} is for training from clicks; give the log with --clicks")
        return None
    check_name("--estimator", options.estimator, ESTIMATORS)
    if options.estimator == "naive" and options.bias is not None:
        raise InputError("--estimator naive takes no position bias; leave out --bias, or choose another estimator")
    _check_measure(measure, options.biased)
    log = read_log([options.clicks], options.columns())
    bias = None if options.estimator == "naive" else _bias(options, log)
    found = Clicks(log, gains(log, bias, options.estimator))
    if bias is not None:
        _note_evidence(log, bias)
    return found


def check_name(option: str, name: str, known: Sequence[str]) -> None:
    """Raise an error, before any work, if the value of an option is none of the known names."""
    if name not in known:
        raise InputError(f"{option} must be one of {', '.join(known)}, not {name!r}")


def _bias(options: ClickOptions, log: ClickLog) -> PositionBias:
    from ...clicks.bias_estimation.estimate import estimate_bias

    if options.bias is not None:
        return PositionBias.load(options.bias)
    with noting_warnings(), spinner("Estimating the position bias"):
        bias = estimate_bias(log, n_bootstrap=0)
    for line in bias.notes:
        note(line)
    return bias


def _check_measure(measure: SupportsEvaluate, biased: bool) -> None:
    """Raise an error for a measure that clicks do not estimate without bias."""
    from ...measures import additive_alternative

    if getattr(measure, "additive", False) or biased:
        return
    instead = additive_alternative(measure)
    advice = "train for -m 'DCG(gain=linear)@10'" if instead is None else f"train for -m '{name_of(instead)}'"
    problem = f"{name_of(measure)} is not a sum over documents, so clicks do not estimate it without bias"
    raise InputError(f"{problem}; {advice}, or give --biased")


def _note_evidence(log: ClickLog, bias: PositionBias) -> None:
    effective = effective_clicks(log, bias)
    if effective < FEW_CLICKS:
        clicks = int(log.clicked.sum())
        note(f"{clicks:,} clicks, worth {effective:,.0f} of equal weight, are few: expect noisy estimates")

"""What ``cv``, ``tune`` and ``best`` have in common: data with queries, time, and what learners warn of."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from ..data.errors import InputError
from ..data.ranking_data import RankingData
from ..learners.registry import LEARNERS
from ..measures import MeasureError, SupportsEvaluate, parse
from ..measures.name_parser import split_names
from .formats import read_data
from .output import note
from .targets import shown

_TIME = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?:in)?)?(?:(\d+(?:\.\d+)?)s?)?")


def seconds_of(time: str | None) -> float | None:
    """What ``--time`` says; a number alone is seconds."""
    if time is None:
        return None
    found = _TIME.fullmatch(time.replace(" ", ""))
    hours, minutes, seconds = (float(part or 0) for part in found.groups()) if found else (0.0, 0.0, 0.0)
    total = 3600 * hours + 60 * minutes + seconds
    if not total > 0:
        raise InputError(f"--time {time}: write how long, such as 90s, 10m or 1h30m")
    return total


def parsed_measures(given: list[str] | None) -> list[SupportsEvaluate]:
    """The measures that were named, of which the first is optimised; AP where none was."""
    return [parse(name) for each in given or ["AP"] for name in split_names(each)]


def read_queries(file: Path, feature_names: str | None) -> RankingData:
    """Ranking data whose rows belong to queries."""
    data = read_data(file, feature_names=feature_names)
    if data.qid is None:
        raise InputError(
            f"{file} has no qid: all its {len(data):,} rows are one query, and queries are what is dealt to folds"
        )
    return data


def end_interrupted(output: Path | None, keep_partial: bool) -> NoReturn:
    """End as Ctrl-C ends a search, and say what became of the model."""
    said = "the search was interrupted"
    if output is not None and keep_partial:
        said = f"{said}; {shown(output)} has the model of the best so far"
    elif output is not None:
        said = f"{said}; {shown(output)} is as it was (--keep-partial writes the model of the best so far)"
    raise KeyboardInterrupt(said)


@contextmanager
def training_on(file: Path, data: RankingData) -> Iterator[None]:
    """While the block trains, collect warnings, and note each once; of an error say which file it is about."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            yield
        except (InputError, MeasureError):
            raise
        except ValueError as error:  # scikit-learn's and LightGBM's
            advice = (
                "" if data.first_missing() is None else f" Fill missing values in, or use --learner {_taking_missing()}."
            )
            raise InputError(f"{file}: {str(error).splitlines()[0]}{advice}") from error
    for message in sorted({str(warning.message) for warning in caught}):
        note(message)


def _taking_missing() -> str:
    """The learners of queries that take missing values."""
    makers = {name: entry.load() for name, entry in LEARNERS.items() if entry.learns_queries}
    return " or ".join(name for name, make in makers.items() if make().__sklearn_tags__().input_tags.allow_nan)

"""Shared by ``cv``, ``tune`` and ``best``: data with queries, warnings of training, interruption."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from ...data import InputError, RankingData
from ...learners.registry import LEARNERS
from ...measures import MeasureError, SupportsEvaluate, parse
from ...measures.name_parser import split_names
from ..console.output_files import display_name
from ..console.streams import note
from ._data import read_data


def parse_measures(given: list[str] | None) -> list[SupportsEvaluate]:
    """The measures, AP by default; the first is optimised."""
    return [parse(name) for each in given or ["AP"] for name in split_names(each)]


def read_queries(file: Path, feature_names: str | None) -> RankingData:
    """Read ranking data whose rows belong to queries."""
    data = read_data(file, feature_names=feature_names)
    if data.qid is None:
        raise InputError(f"{file} has no qid: all its {len(data):,} rows are one query, and folds are made of whole queries")
    return data


def raise_interrupted(output: Path | None, keep_partial: bool) -> NoReturn:
    """Raise KeyboardInterrupt with a message that says whether the model was saved."""
    message = "the search was interrupted"
    if output is not None and keep_partial:
        message = f"{message}; {display_name(output)} has the best model so far"
    elif output is not None:
        message = f"{message}; {display_name(output)} is unchanged (--keep-partial saves the best model so far)"
    raise KeyboardInterrupt(message)


@contextmanager
def training_on(file: Path, data: RankingData) -> Iterator[None]:
    """While the block trains, collect warnings and note each once; errors name the file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            yield
        except (InputError, MeasureError):
            raise
        except ValueError as error:  # raised by scikit-learn or LightGBM
            learners = "" if data.first_missing() is None else _learners_with_missing_values()
            advice = f" Fill in missing values, or use --learner {learners}." if learners else ""
            raise InputError(f"{file}: {str(error).splitlines()[0]}{advice}") from error
    for message in sorted({str(warning.message) for warning in caught}):
        note(message)


def _learners_with_missing_values() -> str:
    """Names of the rankers that accept missing values."""
    makers = {name: entry.load() for name, entry in LEARNERS.items() if entry.learns_queries}
    return " or ".join(name for name, make in makers.items() if make().__sklearn_tags__().input_tags.allow_nan)

"""Shared by ``cv``, ``tune`` and ``best``: data with queries, warnings of training, interruption."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from ...data import InputError, RankingData
from ...measures import SupportsEvaluate, name_of, parse
from ...measures.name_parser import split_names
from ..console.output_files import display_name
from ..console.streams import note
from ..options.columns import ColumnOptions
from ..options.measures import check_distinct_measures
from ._data import display_files, read_data
from ._training_errors import error_of_training


def parse_measures(given: list[str] | None) -> list[SupportsEvaluate]:
    """The measures, AP by default; the first is optimised."""
    measures = [parse(name) for each in given or ["AP"] for name in split_names(each)]
    check_distinct_measures([name_of(measure) for measure in measures])
    return [*measures]


def read_queries(files: Sequence[Path], columns: ColumnOptions) -> RankingData:
    """Read ranking data whose rows belong to queries."""
    data = read_data(files, columns)
    if data.qid is None:
        what = f"{display_files(files)} has no qid: all its {len(data):,} rows are one query"
        raise InputError(f"{what}, and folds are made of whole queries; name the column with --query")
    return data


def check_keep_partial(keep_partial: bool, *outputs: Path | None) -> None:
    """Raise an error if ``--keep-partial`` is given and there is nothing to write."""
    if keep_partial and all(output is None for output in outputs):
        raise InputError("--keep-partial saves the best model so far; name a file for it with -o")


def raise_interrupted(output: Path | None, keep_partial: bool) -> NoReturn:
    """Raise KeyboardInterrupt with a message that says whether the model was saved."""
    message = "the search was interrupted"
    if output is not None and keep_partial:
        message = f"{message}; {display_name(output)} has the best model so far"
    elif output is not None:
        message = f"{message}; {display_name(output)} is unchanged (--keep-partial saves the best model so far)"
    raise KeyboardInterrupt(message)


def changed_settings(before: Any, after: Any) -> dict[str, Any]:
    """Parameters that ``--set`` can give, with values that a search has changed."""
    old, new = before.get_params(deep=False), after.get_params(deep=False)
    return {
        name: value
        for name, value in new.items()
        if (value is None or isinstance(value, (int, float, str))) and value != old[name]
    }


@contextmanager
def training_on(files: Sequence[Path], data: RankingData) -> Iterator[None]:
    """While the block trains, collect warnings and note each once; errors name the files."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            yield
        except ValueError as error:
            raise error_of_training(error, [(display_files(files), data)]) from error
    for message in sorted({str(warning.message) for warning in caught}):
        note(message)

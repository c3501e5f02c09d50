"""Reading ranking data by the options of a command, with its notes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...data import InputError, RankingData
from ...data.column_roles import ColumnNames
from ...data.errors import InputWarning, MissingQueriesWarning
from ...data.formats.ranking_files import read_ranking_files
from ..console.output import as_text
from ..console.progress import spinner
from ..console.streams import note
from ..options.columns import ColumnOptions

if TYPE_CHECKING:
    import pyarrow as pa

#: File that ``-`` stands for.
STANDARD_INPUT = Path("/dev/stdin")


class Rows(NamedTuple):
    """Ranking data, and columns of its files to write beside the scores."""

    data: RankingData
    kept: pa.Table | None


def read_data(files: Sequence[Path], columns: ColumnOptions | None = None) -> RankingData:
    """Read ranking data with labels, and note the columns that were found and the warnings of the reader."""
    columns = columns or ColumnOptions()
    data = read_rows(files, columns.names(), columns.names_of_features()).data
    check_labels(files, data)
    return data


def read_rows(
    files: Sequence[Path], names: ColumnNames, feature_names: list[str] | None = None, n_features: int | None = None
) -> Rows:
    """Read ranking data, with or without labels.

    Parameters
    ----------
    files : sequence of Path
    names : ColumnNames
    feature_names : list of str, optional
        Names for the features of LETOR text.
    n_features : int, optional
        Number of features of a model; LETOR text may leave out the last of them.
    """
    paths = [STANDARD_INPUT if os.fspath(file) == "-" else file for file in files]
    with noting_warnings(), spinner(f"Reading {display_files(files)}"):
        data, roles, kept = read_ranking_files(paths, names, n_features=n_features)
    if roles is not None and not roles.is_ours:
        note(f"{display_files(files)}: {as_text(str(roles))}")
    if feature_names is not None:
        data = _with_names(data, feature_names, display_files(files), n_features)
    return Rows(data, kept)


def display_files(files: Sequence[str | Path]) -> str:
    """Name of one or more files in messages."""
    first, n_others = str(files[0]), len(files) - 1
    name = "standard input" if first in ("-", str(STANDARD_INPUT)) else first
    return name if n_others == 0 else f"{name} and {n_others} other file{'s' if n_others > 1 else ''}"


def check_labels(files: Sequence[Path], data: RankingData) -> None:
    """Raise an error for data without labels."""
    if not data.has_labels:
        advice = "name the column with --label, or join judgments: directrank convert --qrels JUDGMENTS DATA OUTPUT"
        what = "no column has the name of a label (label, grade, relevance, rating, ...)"
        raise InputError(f"{display_files(files)} has no labels: {what}; {advice}")


@contextmanager
def noting_warnings() -> Iterator[None]:
    """Note the warnings of a reader once it is done."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", InputWarning)
        yield
    for warning in caught:
        if warning.category is not MissingQueriesWarning:  # commands note it if queries matter to them
            note(str(warning.message))


def check_validation_data(validate: str | Path | None, files: Iterable[str | Path]) -> None:
    """Raise an error if the validation data is the training data; either may be an address."""
    if validate is not None and os.path.realpath(validate) in map(os.path.realpath, files):
        raise InputError(f"--validate {validate} is the training data; C and rounds are chosen on other queries")


def note_one_query(name: str, data: RankingData) -> None:
    """Note that data has no queries, which is rarely intended."""
    if data.qid is None and len(data) > 1:
        advice = "if they belong to several, name the column with --query (LETOR text: write qid:QUERY after each grade)"
        note(f"{name} has no qid: all its {len(data):,} rows are treated as one query; {advice}.")


def _with_names(data: RankingData, names: list[str], where: str, n_features: int | None) -> RankingData:
    """The data with a name for each feature; `n_features` is the number of features of a model, if there is one."""
    if data.feature_names is not None:
        if data.feature_names != names:
            raise InputError(f"{where} contains the names of its features; leave --feature-names out")
        return data
    if n_features is not None and len(names) != n_features:
        raise InputError(f"--feature-names has {len(names):,} names, and the model has {n_features:,} features")
    if len(names) < data.n_features:
        raise InputError(
            f"--feature-names has {len(names):,} names, and {where} has {data.n_features:,} features; name each"
        )
    if len(names) > data.n_features:
        problem = f"--feature-names has {len(names):,} names, and {where} has no feature above {data.n_features:,}"
        advice = f"if the last features are 0 throughout, write {len(names)}:0 in one of its lines"
        raise InputError(f"{problem}; remove the surplus names, or, {advice}")
    return data.replace(feature_names=names)

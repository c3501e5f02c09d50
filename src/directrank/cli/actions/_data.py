"""Reading ranking data, with the feature names and notes of the command."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ...data import InputError, RankingData, read_letor, read_parquet
from ...data.errors import InputWarning, MissingQueriesWarning
from ..console.progress import spinner
from ..console.streams import note
from ..options.feature_names import parse_feature_names
from ..options.formats import Format, format_of


def read_data(path: Path, n_features: int | None = None, feature_names: str | None = None) -> RankingData:
    """Read ranking data, and note the warnings of the reader.

    Parameters
    ----------
    path : Path
    n_features : int, optional
        Number of features of a model; LETOR text may leave out the last of them.
    feature_names : str, optional
        Value of ``--feature-names``.
    """
    if format_of(path) in (Format.run, Format.qrels):
        raise InputError(f"{path} is a TREC file by its name, not ranking data; join runs with --qrels first")
    names = None if feature_names is None else parse_feature_names(feature_names)
    with noting_warnings(), spinner(f"Reading {path}"):
        is_parquet = format_of(path) is Format.parquet
        data = read_parquet(path) if is_parquet else read_letor(path, n_features=n_features)
    return data if names is None else _with_names(data, names, path, n_features)


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


def note_one_query(path: Path, data: RankingData) -> None:
    """Note that a file has no qid, which is rarely intended."""
    if data.qid is None and len(data) > 1:
        advice = "if they belong to several, write qid:QUERY after each grade (Parquet: a column qid)"
        note(f"{path} has no qid: all its {len(data):,} rows are treated as one query; {advice}.")


def _with_names(data: RankingData, names: list[str], path: Path, n_features: int | None) -> RankingData:
    """The data with a name for each feature; `n_features` is the number of features of a model, if there is one."""
    if data.feature_names is not None:
        if data.feature_names != names:
            raise InputError(f"{path} contains the names of its features; leave --feature-names out")
        return data
    if n_features is not None and len(names) != n_features:
        raise InputError(f"--feature-names has {len(names):,} names, and the model has {n_features:,} features")
    if len(names) < data.n_features:
        raise InputError(f"--feature-names has {len(names):,} names, and {path} has {data.n_features:,} features; name each")
    if len(names) > data.n_features:
        problem = f"--feature-names has {len(names):,} names, and {path} has no feature above {data.n_features:,}"
        advice = f"if the last features are 0 throughout, write {len(names)}:0 in one of its lines"
        raise InputError(f"{problem}; remove the surplus names, or, {advice}")
    return RankingData(data.X, data.y, data.qid, data.docno, names)

"""``directrank split``: split a file by query."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ...data import InputError, RankingData, Split, train_validation_test
from ...data.split_folders import check_new_folder, write_splits
from ...data.splits import PARTS, fold_rows
from ..console.output import print_json, print_table
from ..console.progress import spinner
from ..options.formats import Format, format_of
from ._data import read_data

DEFAULT_FOLDS = 5


class SplitOptions(NamedTuple):
    """Options of ``directrank split``."""

    file: Path
    output: Path
    folds: int | None
    share: str | None
    seed: int
    feature_names: str | None
    as_json: bool


def run(options: SplitOptions) -> None:
    """Write the parts of a file, and print their sizes."""
    file, output = options.file, options.output
    if options.folds is not None and options.share is not None:
        raise InputError("give --folds or --share, not both")
    shares = None if options.share is None else _parse_shares(options.share)
    check_new_folder(output)
    data = read_data(file, feature_names=options.feature_names)
    if data.qid is None:
        raise InputError(f"{file} has no qid; data is split by query, so every row needs one")
    sizes: dict[str, dict[str, dict[str, int]]] = {}

    def counted() -> Iterator[tuple[str, Split]]:
        n_folds = DEFAULT_FOLDS if options.folds is None else options.folds
        for name, parts in _splits(data, n_folds, shares, options.seed):
            named = zip(PARTS, parts, strict=True)
            sizes[name] = {part: {"queries": some.n_queries, "rows": len(some)} for part, some in named}
            yield name, parts

    with spinner(f"Writing {output}"):
        write_splits(output, counted(), _extension(file))
    if options.as_json:
        print_json(sizes["."] if shares else sizes)
    else:
        files = [(name, part, counts) for name, parts in sizes.items() for part, counts in parts.items()]
        rows = [(f"{name}/{part}".removeprefix("./"), *counts.values()) for name, part, counts in files]
        print_table(["", "queries", "rows"], rows)


def _splits(
    data: RankingData, folds: int, shares: tuple[float, float, float] | None, seed: int
) -> Iterator[tuple[str, Split]]:
    """Each split with the name of its folder."""
    if shares is not None:
        yield ".", train_validation_test(data, shares, random_state=seed)
        return
    for number, rows in enumerate(fold_rows(data, folds, random_state=seed), 1):
        yield f"Fold{number}", Split(*(data.select(part) for part in rows))


def _parse_shares(text: str) -> tuple[float, float, float]:
    try:
        train, validation, test = (float(part) for part in text.split("/"))
    except ValueError as error:
        raise InputError(f"--share {text}: write three numbers, such as 60/20/20") from error
    return train, validation, test


def _extension(file: Path) -> str:
    """Extension of output files in the format of the input."""
    if format_of(file) is Format.parquet:
        return ".parquet"
    return ".txt.gz" if file.name.endswith(".gz") else ".txt"

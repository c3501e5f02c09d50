"""``directrank split``: split a file by query."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ...data import InputError, RankingData, Split, train_validation_test
from ...data.formats.file_format import known_format, without_compression
from ...data.formats.ranking_files import listed_files
from ...data.split_folders import check_new_folder, write_splits
from ...data.splits import PARTS, fold_rows
from ..console.output import print_json, print_table
from ..console.progress import spinner
from ..options.columns import ColumnOptions
from ._data import display_files, read_data

DEFAULT_FOLDS = 5


class SplitOptions(NamedTuple):
    """Options of ``directrank split``."""

    files: list[Path]
    output: Path
    folds: int | None
    share: str | None
    seed: int
    columns: ColumnOptions
    as_json: bool


def run(options: SplitOptions) -> None:
    """Write the parts of a file, and print their sizes."""
    files, output = options.files, options.output
    if options.folds is not None and options.share is not None:
        raise InputError("give --folds or --share, not both")
    shares = None if options.share is None else _parse_shares(options.share)
    check_new_folder(output)
    data = read_data(files, options.columns)
    if data.qid is None:
        what = f"{display_files(files)} has no qid; data is split by query"
        raise InputError(f"{what}, so every row needs one; name the column with --query")
    sizes: dict[str, dict[str, dict[str, int]]] = {}

    def counted() -> Iterator[tuple[str, Split]]:
        n_folds = DEFAULT_FOLDS if options.folds is None else options.folds
        for name, parts in _splits(data, n_folds, shares, options.seed):
            named = zip(PARTS, parts, strict=True)
            sizes[name] = {part: {"queries": some.n_queries, "rows": len(some)} for part, some in named}
            yield name, parts

    with spinner(f"Writing {output}"):
        write_splits(output, counted(), _extension(files[0]))
    if options.as_json:
        print_json(sizes["."] if shares else sizes)
    else:
        written = [(name, part, counts) for name, parts in sizes.items() for part, counts in parts.items()]
        rows = [(f"{name}/{part}".removeprefix("./"), *counts.values()) for name, part, counts in written]
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
    if file.is_dir():
        file = Path(listed_files(file)[0])
    format, name = known_format(file), file.name
    plain = without_compression(name)
    ending = Path(plain).suffix if format is not None else ".txt"
    return ending + name.removeprefix(plain)

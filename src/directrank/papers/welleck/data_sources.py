"""The collections of the paper, read fold by fold: five folds of LETOR, or two sets of Yahoo!'s challenge."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path

from ...data import InputError, read_split
from ...data.splits import Split
from ..experiment import Source

#: A reader for each fold: all folds of MSLR-WEB10K at once may not fit in memory.
Folds = Sequence[Callable[[], Split]]


def _letor_folds(folder: Path) -> Folds:
    folds = [each for each in folder.iterdir() if re.fullmatch(r"Fold\d+", each.name)] if folder.is_dir() else []
    if not folds:
        raise InputError(f"{folder}: there is no Fold1 here; name the folder that contains Fold1, Fold2, ...")
    parts = ("train.txt", "vali.txt", "test.txt")
    return [partial(_read, *(_file(fold, part) for part in parts)) for fold in sorted(folds, key=lambda f: int(f.name[4:]))]


def _yahoo_sets(folder: Path) -> Folds:
    sets = [number for number in (1, 2) if any(folder.glob(f"set{number}.train.txt*"))]
    if not sets:
        raise InputError(f"{folder}: there is no set1.train.txt here; name the folder that contains it, set1.valid.txt, ...")
    parts = ("train.txt", "valid.txt", "test.txt")
    return [partial(_read, *(_file(folder, f"set{number}.{part}") for part in parts)) for number in sets]


@lru_cache(maxsize=1)
def _read(train: Path, validation: Path, test: Path) -> Split:
    return read_split(train, validation, test)


def _file(folder: Path, name: str) -> Path:
    found = [path for path in (folder / name, folder / f"{name}.gz") if path.exists()]
    if not found:
        raise InputError(f"{folder}: there is no {name} or {name}.gz here")
    return found[0]


LETOR = Source(
    "letor",
    "Fold1 to Fold5, each with train.txt, vali.txt and test.txt, plain or gzip",
    "LETOR 4.0 (MQ2007, MQ2008), LETOR 3.0 (TD, NP, HP 2003 and 2004) or MSLR-WEB10K, from Microsoft Research",
    _letor_folds,
)

YAHOO = Source(
    "yahoo",
    "set1.train.txt, set1.valid.txt, set1.test.txt, and the same for set2, plain or gzip",
    "Learning to Rank Challenge (C14B), from Yahoo! Webscope",
    _yahoo_sets,
)

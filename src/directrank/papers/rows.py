"""Rows of an experiment, saved as they are finished, so that an interrupted run can continue."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ..data import InputError
from ..version import __version__

#: Iterates over items and shows the progress, under a title.
Progress = Callable[[Sequence[Any], str], Iterable[Any]]


def no_progress(items: Sequence[Any], title: str) -> Iterable[Any]:
    """Iterate over items without showing progress."""
    return items


class Rows:
    """Finished rows of a paper's experiments on a data set, in a JSON lines file.

    Experiments of one paper share rows by name.

    Parameters
    ----------
    file : path
        Created with the first row if it does not exist.
    progress : callable
    """

    def __init__(self, file: Path, progress: Progress = no_progress) -> None:
        self.file, self._progress = file, progress
        self._rows, self._complete_bytes = _read(file) if file.exists() else ({}, None)
        self.n_loaded = len(self._rows)

    @classmethod
    def open(cls, results: Path, paper: str, source: str, data: Path, quick: bool, progress: Progress = no_progress) -> Rows:
        """Open the rows of a paper for the current files of a data folder and this version of directrank."""
        try:
            results.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{results}: rows cannot be saved there ({error.strerror}); use another --results") from error
        saved = set(results.resolve().glob("*-*-*.jsonl"))
        name = f"{paper}-{source}-{_fingerprint(data, saved)}{'-quick' if quick else ''}.jsonl"
        return cls(results / name, progress)

    def get_or_compute(self, study: str, names: Sequence[str], compute: Callable[[str], Any]) -> dict[str, Any]:
        """Row of each name, loaded or computed.

        Parameters
        ----------
        study : str
            First part of the key of a row; the key must name everything that the row depends on.
        names : list of str
        compute : callable
            Takes a name and returns a row: numbers, text, and lists and dicts of them.
        """
        rows = {name: self._rows.get(f"{study}: {name}") for name in names}
        missing = [name for name in names if f"{study}: {name}" not in self._rows]
        for name in self._progress(missing, study) if missing else ():
            with warnings.catch_warnings(record=True) as caught:
                row = compute(name)
            for each in caught:
                warnings.warn(each.message, stacklevel=2)
            rows[name] = self._save(f"{study}: {name}", row)
        return rows

    @property
    def n_computed(self) -> int:
        """Number of rows that were added."""
        return len(self._rows) - self.n_loaded

    def _save(self, key: str, row: Any) -> Any:
        line = json.dumps({"key": key, "row": row})
        if self._complete_bytes is not None:  # the last line is incomplete
            os.truncate(self.file, self._complete_bytes)
            self._complete_bytes = None
        with self.file.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        self._rows[key] = json.loads(line)["row"]  # as it would be loaded
        return self._rows[key]


def _read(file: Path) -> tuple[dict[str, Any], int | None]:
    """Rows of a file, and the number of bytes in complete lines if the last line is incomplete."""
    content = file.read_bytes()
    complete = content.rfind(b"\n") + 1
    rows = {}
    for number, line in enumerate(content[:complete].splitlines(), 1):
        try:
            entry = json.loads(line)
            rows[entry["key"]] = entry["row"]
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{file}:{number}: not a row of an experiment; delete the file to start over") from error
    return rows, None if complete == len(content) else complete


def _fingerprint(folder: Path, saved: set[Path]) -> str:
    """Hash of the files of a folder, except saved rows and HTML pages, and of the version of directrank."""
    inside = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".html")
    files = [path for path in inside if path.resolve() not in saved]
    states = [(str(path.relative_to(folder)), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return blake2b(repr((__version__, states)).encode(), digest_size=5).hexdigest()

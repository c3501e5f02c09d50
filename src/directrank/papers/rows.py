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
from ..data.io.locks import locked_folder
from .code_digest import code_digest

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
        self._rows = _read(file) if file.exists() else {}
        self.n_loaded = len(self._rows)
        self.outdated: list[Path] = []

    @classmethod
    def open(cls, results: Path, paper: str, source: str, data: Path, quick: bool, progress: Progress = no_progress) -> Rows:
        """Open the rows of a paper for the current files of a data folder and the current code.

        The name of the file has a digest of both. `outdated` are files of rows that other code computed from the same data.
        """
        try:
            results.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{results}: rows cannot be saved there ({error.strerror}); use another --results") from error
        saved = set(results.resolve().glob("*-*-*.jsonl"))
        name, code = f"{paper}-{source}{'-quick' if quick else ''}-{_fingerprint(data, saved)}", code_digest()
        rows = cls(results / f"{name}-{code}.jsonl", progress)
        rows.outdated = sorted(path for path in results.glob(f"{name}-*.jsonl") if path != rows.file)
        return rows

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
        try:
            _append(self.file, f"{line}\n".encode())
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.file)) from error
        self._rows[key] = json.loads(line)["row"]  # as it would be loaded
        return self._rows[key]


def _append(file: Path, line: bytes) -> None:
    """Append a line, in place of an incomplete one, which only a killed writer leaves: a running one holds the lock."""
    with locked_folder(file.parent), file.open("a+b", buffering=0) as appended:
        if appended.seek(0, os.SEEK_END) > 0:
            appended.seek(-1, os.SEEK_END)
            if appended.read() != b"\n":
                appended.truncate(file.read_bytes().rfind(b"\n") + 1)
        while line:
            line = line[appended.write(line) :]


def _read(file: Path) -> dict[str, Any]:
    """Rows of a file; an incomplete last line, of a writer that was killed or is writing it, is left out."""
    content = file.read_bytes()
    rows = {}
    for number, line in enumerate(content[: content.rfind(b"\n") + 1].splitlines(), 1):
        try:
            entry = json.loads(line)
            rows[entry["key"]] = entry["row"]
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{file}:{number}: not a row of an experiment; delete the file to start over") from error
    return rows


def _fingerprint(folder: Path, saved: set[Path]) -> str:
    """Hash of the names, sizes and times of the files of a folder, except saved rows and HTML pages."""
    inside = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".html")
    files = [path for path in inside if path.resolve() not in saved]
    states = [(str(path.relative_to(folder)), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return blake2b(repr(states).encode(), digest_size=5).hexdigest()

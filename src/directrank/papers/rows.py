"""The rows of an experiment, kept on disk as they are finished, so that one that was broken off goes on from there."""

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

#: Goes through items and shows how far it is, under a title.
Progress = Callable[[Sequence[Any], str], Iterable[Any]]


def in_silence(items: Sequence[Any], title: str) -> Iterable[Any]:
    """Go through items and show nothing."""
    return items


class Rows:
    """The finished rows of a paper's experiments on some data, in a file of a JSON object a line.

    Experiments of one paper share rows: what one has computed, another finds under the same name.

    Parameters
    ----------
    file : path
        It need not be there yet.
    progress : callable
    """

    def __init__(self, file: Path, progress: Progress = in_silence) -> None:
        self.file, self._progress = file, progress
        self._kept, self._whole = _read(file) if file.exists() else ({}, None)
        self.found = len(self._kept)

    @classmethod
    def of(cls, results: Path, paper: str, source: str, data: Path, quick: bool, progress: Progress = in_silence) -> Rows:
        """Those of a paper on the data of a folder, as it is now, by this version of directrank."""
        try:
            results.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{results}: rows cannot be kept there ({error.strerror}); name another --results") from error
        kept = set(results.resolve().glob("*-*-*.jsonl"))
        name = f"{paper}-{source}-{_fingerprint(data, kept)}{'-quick' if quick else ''}.jsonl"
        return cls(results / name, progress)

    def each(self, study: str, names: Sequence[str], compute: Callable[[str], Any]) -> dict[str, Any]:
        """The row of each name, from disk or computed.

        Parameters
        ----------
        study : str
            With the name it is the key of a row, so it says everything that the row depends on.
        names : list of str
        compute : callable
            From a name to a row: numbers, text, and lists and dicts of them.
        """
        rows = {name: self._kept.get(f"{study}: {name}") for name in names}
        missing = [name for name in names if f"{study}: {name}" not in self._kept]
        for name in self._progress(missing, study) if missing else ():
            with warnings.catch_warnings(record=True) as caught:
                row = compute(name)
            for each in caught:
                warnings.warn(each.message, stacklevel=2)
            rows[name] = self._keep(f"{study}: {name}", row)
        return rows

    @property
    def computed(self) -> int:
        """How many rows were added."""
        return len(self._kept) - self.found

    def _keep(self, key: str, row: Any) -> Any:
        line = json.dumps({"key": key, "row": row})
        if self._whole is not None:  # the last line was not finished
            os.truncate(self.file, self._whole)
            self._whole = None
        with self.file.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        self._kept[key] = json.loads(line)["row"]  # as it will be read, so that both ways give the same
        return self._kept[key]


def _read(file: Path) -> tuple[dict[str, Any], int | None]:
    """The rows of a file; and how many bytes are whole lines, if a last one was not finished."""
    content = file.read_bytes()
    whole = content.rfind(b"\n") + 1
    kept = {}
    for number, line in enumerate(content[:whole].splitlines(), 1):
        try:
            entry = json.loads(line)
            kept[entry["key"]] = entry["row"]
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{file}:{number}: this is no row of an experiment; delete the file to start again") from error
    return kept, None if whole == len(content) else whole


def _fingerprint(folder: Path, kept: set[Path]) -> str:
    """Changes with the files of a folder, but for rows that are kept and for pages, and with the version of directrank."""
    inside = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".html")
    files = [path for path in inside if path.resolve() not in kept]
    seen = [(str(path.relative_to(folder)), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return blake2b(repr((__version__, seen)).encode(), digest_size=5).hexdigest()

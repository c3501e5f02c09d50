"""The rows of an experiment, kept on disk as they are finished, so that one that was broken off goes on from there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ..data import InputError
from ..learners.interruption import watching
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
        self._kept = _read(file) if file.exists() else {}
        self.found = len(self._kept)

    @classmethod
    def of(cls, results: Path, paper: str, source: str, data: Path, quick: bool, progress: Progress = in_silence) -> Rows:
        """Those of a paper on the data of a folder, as it is now, by this version of directrank."""
        name = f"{paper}-{source}-{_fingerprint(data)}{'-quick' if quick else ''}.jsonl"
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
            with watching() as watch:
                row = compute(name)
            if watch.interrupted:  # learners end early at Ctrl-C, with what they have; that is no result
                raise KeyboardInterrupt
            rows[name] = self._keep(f"{study}: {name}", row)
        return rows

    @property
    def computed(self) -> int:
        """How many rows were added."""
        return len(self._kept) - self.found

    def _keep(self, key: str, row: Any) -> Any:
        line = json.dumps({"key": key, "row": row})
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        self._kept[key] = json.loads(line)["row"]  # as it will be read, so that both ways give the same
        return self._kept[key]


def _read(file: Path) -> dict[str, Any]:
    """The rows of a file. A last line that was not finished is cut off."""
    text = file.read_text(encoding="utf-8")
    whole, unfinished = text[: text.rfind("\n") + 1], text[text.rfind("\n") + 1 :]
    if unfinished:
        file.write_text(whole, encoding="utf-8")
    kept = {}
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            entry = json.loads(line)
            kept[entry["key"]] = entry["row"]
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{file}:{number}: this is no row of an experiment; delete the file to start again") from error
    return kept


def _fingerprint(folder: Path) -> str:
    """Changes with the files of a folder and with the version of directrank."""
    files = sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else [folder]
    seen = [(str(path.relative_to(folder)), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return blake2b(repr((__version__, seen)).encode(), digest_size=5).hexdigest()

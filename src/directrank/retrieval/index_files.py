"""Reading and writing text indexes: a folder with the arrays in a subfolder, and a small JSON file that points to it.

Replacing that file, atomically, switches from the old arrays to the new ones. So a writer killed at any moment leaves the
old index intact, concurrent writers do not interfere, and the last one to finish wins.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import InputError
from ..data.io.files import naming_file, replacing
from ..data.io.locks import locked_folder, remove_leftovers, unfinished

FORMAT = "directrank text index, version 2"

_FILE, _PREFIX = "index.json", "data-"
_DATA = re.compile(_PREFIX + r"\d+-[0-9a-f]{8}")


def write_index(folder: Path, arrays: Mapping[str, NDArray[Any]], analyser: dict[str, str | None]) -> None:
    """Write arrays, and the analyser's name and digest, to a folder; an old index stays until the new one is complete."""
    if folder.exists() and _content(folder).get("format") != FORMAT and not _is_empty(folder):
        raise InputError(f"{folder} exists and is not a text index; choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    with locked_folder(folder):
        if not (folder / _FILE).exists():  # from here on, the folder is an index, though one without data
            _point_to(folder, None, analyser)
    with unfinished(folder, _PREFIX, "", Path.mkdir) as made:
        try:
            for name, array in arrays.items():
                with naming_file(folder):
                    np.save(made / f"{name}.npy", array)
            with locked_folder(folder):
                before = _pointed_to(folder)
                _point_to(folder, made.name, analyser)
                if isinstance(before, str) and _DATA.fullmatch(before):
                    shutil.rmtree(folder / before, ignore_errors=True)
                remove_leftovers(folder, _PREFIX, "", keep=made.name)
        except BaseException:
            if _pointed_to(folder) != made.name:
                shutil.rmtree(made, ignore_errors=True)
            raise


def read_index(folder: Path, names: Sequence[str]) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The memory-mapped arrays of an index, and the name and the digest of its analyser."""
    about = _about(folder)
    while True:
        try:
            return {name: _mapped(_data(folder, about) / f"{name}.npy") for name in names}, about["analyser"]
        except FileNotFoundError as error:
            before, about = about, _about(folder)
            if about == before:  # else a writer has just replaced the index
                raise damaged(folder, f"{Path(error.filename).name} is missing") from error


def damaged(folder: Path, what: str) -> InputError:
    """The error for a damaged index."""
    return InputError(f"{folder} is a damaged text index ({' '.join(what.split())}); build it again")


def _about(folder: Path) -> dict[str, Any]:
    """The content of the JSON file: format, analyser and the subfolder of the arrays."""
    try:
        about = json.loads((folder / _FILE).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{folder} is not a text index: {error}") from error
    form = about.get("format") if isinstance(about, dict) else None
    if form != FORMAT:
        raise InputError(f"{folder} has the format {form!r}, not {FORMAT!r}; build the index again")
    if about.get("data") is None:
        raise InputError(f"{folder} is an index that was never completed; build it again")
    match about.get("analyser"):
        case {"name": str(), "digest": str() | None}:
            return about
    raise damaged(folder, f"{_FILE} names no analyser")


def _data(folder: Path, about: dict[str, Any]) -> Path:
    if not isinstance(about["data"], str) or not _DATA.fullmatch(about["data"]):
        raise damaged(folder, f"{_FILE} names no subfolder of arrays")
    return folder / about["data"]


def _mapped(path: Path) -> NDArray[Any]:
    try:
        return np.lib.format.open_memmap(path, mode="r")
    except FileNotFoundError:
        raise
    except Exception as error:  # NumPy's parser of headers raises nearly anything
        raise damaged(path.parent, f"{path.name}: {error}") from error


def _point_to(folder: Path, data: str | None, analyser: dict[str, str | None]) -> None:
    with replacing(folder / _FILE) as file:
        file.write(json.dumps({"format": FORMAT, "analyser": analyser, "data": data}).encode())


def _pointed_to(folder: Path) -> object:
    return _content(folder).get("data")


def _content(folder: Path) -> dict[str, Any]:
    """The content of the JSON file; empty if it cannot be read."""
    with suppress(OSError, ValueError, RecursionError):
        content = json.loads((folder / _FILE).read_bytes())
        if isinstance(content, dict):
            return content
    return {}


def _is_empty(folder: Path) -> bool:
    """Whether a folder is empty but for leftovers of a killed writer."""
    return folder.is_dir() and all(re.fullmatch(rf"\.{_FILE}\..*\.part", path.name) for path in folder.iterdir())

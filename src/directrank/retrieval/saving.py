"""Text indexes as folders: the arrays are in a subfolder, and one small file says in which.

Replacing that file, which is atomic, switches from the old arrays to the new ones. So a writer that is killed at any moment
leaves the old index whole, several writers do not meet, and the last of them to finish wins.
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
from ..data.bytes.files import replacing
from ..data.bytes.locks import alone_in, remove_leftovers, unfinished

#: In version 1, the arrays were beside the file.
FORMAT_1, FORMAT = "directrank text index, version 1", "directrank text index, version 2"

_FILE, _PREFIX = "index.json", "data-"
_DATA = re.compile(_PREFIX + r"\d+-[0-9a-f]{8}")


def write_index(folder: Path, arrays: Mapping[str, NDArray[Any]], analyser: str) -> None:
    """Write arrays and the name of the analyser to a folder; an index that is there stays until the new one is complete."""
    if folder.exists() and _format(folder) is None and not _is_empty(folder):
        raise InputError(f"{folder} exists and is not a text index; choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    with alone_in(folder):
        if not (folder / _FILE).exists():  # from here on, the folder is an index, though one without data
            _point_to(folder, None, analyser)
    with unfinished(folder, _PREFIX, "", Path.mkdir) as made:
        try:
            for name, array in arrays.items():
                np.save(made / f"{name}.npy", array)
            with alone_in(folder):
                before, form = _pointed_to(folder), _format(folder)
                _point_to(folder, made.name, analyser)
                if isinstance(before, str) and _DATA.fullmatch(before):
                    shutil.rmtree(folder / before, ignore_errors=True)
                remove_leftovers(folder, _PREFIX, "", keep=made.name)
                for name in arrays if form == FORMAT_1 else ():
                    (folder / f"{name}.npy").unlink(missing_ok=True)
        except BaseException:
            if _pointed_to(folder) != made.name:
                shutil.rmtree(made, ignore_errors=True)
            raise


def read_index(folder: Path, names: Sequence[str]) -> tuple[dict[str, NDArray[Any]], str]:
    """The arrays of an index, mapped, and the name of its analyser."""
    about = _about(folder)
    while True:
        try:
            return {name: _mapped(_data(folder, about) / f"{name}.npy") for name in names}, about["analyser"]
        except FileNotFoundError as error:
            before, about = about, _about(folder)
            if about == before:  # else a writer has just replaced the index
                raise damaged(folder, f"{Path(error.filename).name} is missing") from error


def damaged(folder: Path, what: str) -> InputError:
    """The error for a folder whose content cannot be an index."""
    return InputError(f"{folder} is a damaged text index ({' '.join(what.split())}); build it again")


def _about(folder: Path) -> dict[str, str]:
    """What the file says: the format, the analyser and the subfolder of the arrays."""
    try:
        about = json.loads((folder / _FILE).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{folder} is not a text index: {error}") from error
    form = about.get("format") if isinstance(about, dict) else None
    if form not in (FORMAT_1, FORMAT):
        raise InputError(f"{folder} has the format {form!r}, not {FORMAT!r}; build the index again")
    if form == FORMAT and about.get("data") is None:
        raise InputError(f"{folder} is an index that was never completed; build it again")
    if not isinstance(about.get("analyser"), str):
        raise damaged(folder, f"{_FILE} names no analyser")
    return about


def _data(folder: Path, about: dict[str, str]) -> Path:
    if about["format"] == FORMAT_1:
        return folder
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


def _point_to(folder: Path, data: str | None, analyser: str) -> None:
    with replacing(folder / _FILE) as file:
        file.write(json.dumps({"format": FORMAT, "analyser": analyser, "data": data}).encode())


def _pointed_to(folder: Path) -> object:
    return _content(folder).get("data")


def _format(folder: Path) -> object:
    """Which of our formats a folder has; None for any other folder."""
    form = _content(folder).get("format")
    return form if form in (FORMAT_1, FORMAT) else None


def _content(folder: Path) -> dict[str, Any]:
    """What the file holds; nothing where there is none that can be read."""
    with suppress(OSError, ValueError, RecursionError):
        content = json.loads((folder / _FILE).read_bytes())
        if isinstance(content, dict):
            return content
    return {}


def _is_empty(folder: Path) -> bool:
    """Whether there is nothing in a folder but what a killed writer of the file left."""
    return folder.is_dir() and all(re.fullmatch(rf"\.{_FILE}\..*\.part", path.name) for path in folder.iterdir())

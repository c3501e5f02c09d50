"""Parquet files as workers see them: files, patterns, and folders as Spark and others write them."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import fsspec

from ..data import InputError
from ..data.formats.parquet.shard_set import check_shard_set
from ..data.io.folders import restore_folder

#: Folder that Spark and Hadoop write to before they move files to their final place.
_UNFINISHED = "_temporary"

#: Folder of one value of a column that is not in its files, as Hive and Spark name it.
_PARTITION = re.compile(r"([^=]+)=.*")

#: Number of times a folder is listed that changes meanwhile.
_N_TRIES = 4

#: Names of the entries of a folder, each with whether it is a folder.
Lister = Callable[[str], list[tuple[str, bool]]]


class ListedFile(NamedTuple):
    """A file of the data.

    Attributes
    ----------
    path : str
    stamp : str
        Stamp of the file's version, which changes when the file does.
    partitions : tuple of str
        Columns whose values the names of its folders state, such as ``date=2026-01-31``.
    """

    path: str
    stamp: str
    partitions: tuple[str, ...]


def list_files(paths: list[str]) -> list[ListedFile]:
    """Files that match paths and patterns, as a worker sees them; sorted by name within each path."""
    return [file for path in paths for file in _list(path)]


def _list(path: str) -> list[ListedFile]:
    """Files of one path; a folder whose set of shards is replaced meanwhile is listed again."""
    for tries_left in reversed(range(_N_TRIES)):
        try:
            found = _found(path)
            listed = [_stamped(file, partitions) for file, partitions in found]
            if "://" in path or _found(path) == found:
                return listed
        except InputError:
            if "://" in path or tries_left == 0:
                raise
    raise InputError(f"{path} changes while it is listed; read it once its writer has finished")


def _stamped(file: str, partitions: tuple[str, ...]) -> ListedFile:
    with input_errors(file):
        return ListedFile(file, stamp_of(file), partitions)


def _found(path: str) -> list[tuple[str, tuple[str, ...]]]:
    with input_errors(path):
        found = _remote_files(path) if "://" in path else _local_files(path)
    if not found:
        raise InputError(f"{path}: there is no such Parquet file, as seen from the workers")
    return sorted(found)


def stamp_of(file: str) -> str:
    """Stamp of a file's version."""
    if "://" in file:
        system, path = fsspec.core.url_to_fs(file)
        return str(system.ukey(path))
    status = os.stat(file)
    return f"{status.st_size} {status.st_mtime_ns}"


def _local_files(path: str) -> list[tuple[str, tuple[str, ...]]]:
    for folder in (path, os.path.dirname(path)):
        restore_folder(folder)
    if os.path.isdir(path):
        return _files_in(path, _list_local)
    return [(file, ()) for file in ([path] if os.path.exists(path) else glob.glob(path))]


def _list_local(folder: str) -> list[tuple[str, bool]]:
    with os.scandir(folder) as entries:
        return [(entry.name, entry.is_dir()) for entry in entries]


def _remote_files(address: str) -> list[tuple[str, tuple[str, ...]]]:
    system, path = fsspec.core.url_to_fs(address)

    def list_remote(folder: str) -> list[tuple[str, bool]]:
        entries = system.ls(fsspec.core.url_to_fs(folder)[1], detail=True)
        return [(entry["name"].rstrip("/").rpartition("/")[2], entry["type"] == "directory") for entry in entries]

    if system.isfile(path):
        return [(system.unstrip_protocol(path), ())]
    if any(mark in path for mark in "*?["):
        return [(system.unstrip_protocol(file), ()) for file in system.glob(path)]
    return _files_in(system.unstrip_protocol(path).rstrip("/"), list_remote) if system.isdir(path) else []


def _files_in(folder: str, list_folder: Lister, partitions: tuple[str, ...] = ()) -> list[tuple[str, tuple[str, ...]]]:
    """Parquet files of a folder and of the folders of its partitions, but for names that begin with ``_`` or a dot."""
    entries = list_folder(folder)
    if (_UNFINISHED, True) in entries:
        raise InputError(
            f"{folder} holds a folder {_UNFINISHED}: its writer (Spark?) has not finished, or was stopped; write it again"
        )
    visible = [(name, f"{folder}/{name}", is_folder) for name, is_folder in entries if name[0] not in "_."]
    files = [path for name, path, is_folder in visible if name.endswith(".parquet") and not is_folder]
    check_shard_set(folder, files, opened)
    found = [(path, partitions) for path in files]
    for name, path, is_folder in visible:
        partition = _PARTITION.fullmatch(name)
        if is_folder and partition is not None:
            found += _files_in(path, list_folder, (*partitions, partition[1]))
    return found


@contextmanager
def opened(file: str) -> Iterator[Any]:
    """Open a file or a URL."""
    with input_errors(file), fsspec.open(file, "rb") if "://" in file else open(file, "rb") as content:
        yield content


@contextmanager
def input_errors(file: str) -> Iterator[None]:
    """Raise errors of a file or a URL as `InputError`; fsspec has errors of many kinds."""
    try:
        yield
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"{file} cannot be read by a worker: {error.strerror or error}") from error
    except Exception as error:
        if "://" not in file:
            raise
        raise InputError(f"{file} cannot be read by a worker: {' '.join(str(error).split())}") from error

"""Parquet files as workers see them: listing, and reading a shard."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import fsspec

from ..data import InputError
from ..data.formats.parquet.reader import feature_columns, read_parquet_file
from ..data.formats.parquet.writer import check_shard_set
from .shard import Shard


class Columns(NamedTuple):
    """Column names of a table."""

    label: str
    qid: str
    docno: str
    features: list[str] | None


def list_files(paths: list[str]) -> list[tuple[str, str]]:
    """Files that match paths and patterns, as a worker sees them, each with a stamp that changes when the file does."""
    found: list[str] = []
    for path in paths:
        with _input_errors(path):
            some = _remote_files(path) if "://" in path else _local_files(path)
        if not some:
            raise InputError(f"{path}: there is no such Parquet file, as seen from the workers")
        found += sorted(some)
    stamped = []
    for file in found:
        with _input_errors(file):
            stamped.append((file, _stamp(file)))
    return stamped


def _local_files(path: str) -> list[str]:
    if os.path.isdir(path):
        files = glob.glob(os.path.join(glob.escape(path), "*.parquet"))
        check_shard_set(path, files)
        return files
    return [path] if os.path.exists(path) else glob.glob(path)


def _remote_files(address: str) -> list[str]:
    system, path = fsspec.core.url_to_fs(address)
    is_pattern = any(mark in path for mark in "*?[")
    names = [path] if system.isfile(path) else system.glob(path if is_pattern else f"{path.rstrip('/')}/*.parquet")
    return [system.unstrip_protocol(name) for name in names]


def _stamp(file: str) -> str:
    """Stamp of a file's version."""
    if "://" in file:
        system, path = fsspec.core.url_to_fs(file)
        return str(system.ukey(path))
    status = os.stat(file)
    return f"{status.st_size} {status.st_mtime_ns}"


def read_shard(file: str, stamp: str, columns: Columns, expected: list[str]) -> Shard:
    """Read a file as a shard, with its features in an expected order.

    It may be read again after a worker has died, and must be the same then.
    """
    with _opened(file) as opened:
        if _stamp(file) != stamp:
            raise InputError(f"{file} has changed since it was listed; read the data anew")
        data = read_parquet_file(opened, file, **columns._asdict())
    try:
        return Shard(data.with_features(expected))
    except InputError as error:
        raise InputError(f"{file}: {error}") from error


@contextmanager
def _opened(file: str) -> Iterator[Any]:
    """Open a file or a URL."""
    with _input_errors(file), fsspec.open(file, "rb") if "://" in file else open(file, "rb") as opened:
        yield opened


@contextmanager
def _input_errors(file: str) -> Iterator[None]:
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


def feature_names(file: str, columns: Columns) -> list[str]:
    """Feature names of a file, in its order."""
    import pyarrow
    import pyarrow.parquet

    if columns.features is not None:
        return columns.features
    with _opened(file) as opened:
        try:
            return feature_columns(pyarrow.parquet.read_schema(opened), columns[:3])
        except pyarrow.ArrowException as error:
            raise InputError(f"{file}: not a Parquet file, or an incomplete one ({' '.join(str(error).split())})") from error

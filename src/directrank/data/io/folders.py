"""Writing folders atomically: a new folder is built beside the old one, and the two are exchanged.

Linux and macOS exchange two folders in one step. Where a file system cannot, as NFS, the old folder is first renamed to a
hidden name; if the writer is killed before the new folder has its name, the old one gets it back when the folder is next
read or written.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..errors import InputError
from .files import PathLike, naming_file
from .locks import locked_folder, remove_leftovers, unfinished

_NEW, _OLD = ".part", ".old"
_AT_FDCWD, _RENAME_EXCHANGE, _RENAME_SWAP = -100, 2, 2
_UNSUPPORTED = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}


@contextmanager
def replacing_folder(path: PathLike, check: Callable[[], object], *, is_part: Callable[[str], bool]) -> Iterator[Path]:
    """Create a folder to write files to, which takes the place of `path` once the block ends.

    Parameters
    ----------
    path : path
        A folder, which may exist; if it is a symbolic link, its target is replaced.
    check : callable
        Raises an error if the folder must not be replaced; called before the block, and again before the exchange if the
        folder is not empty.
    is_part : callable
        Whether a file name is of those that are replaced. Other files of an old folder are kept.

    Notes
    -----
    The new folder has the permissions of the old one. A writer killed at any moment leaves the old folder or the new one,
    complete; what else it leaves is removed by the next writer. The last of several writers wins.
    """
    target = Path(os.path.realpath(path))
    check_replaceable(path)
    restore_folder(target)
    check()
    with naming_file(path):
        remove_leftovers(target.parent, f".{target.name}.", _NEW)
        with unfinished(target.parent, f".{target.name}.", _NEW, Path.mkdir) as made:
            try:
                with locked_folder(target.parent):
                    _copy_permissions(target, made)
                yield made
                with locked_folder(target.parent):
                    if not _rename_to_free_name(made, target):
                        check()
                        _replace(made, target, is_part)
                    remove_leftovers(target.parent, f".{target.name}.", _OLD)
            finally:  # the unfinished folder, or the old one
                shutil.rmtree(made, ignore_errors=True)


def check_replaceable(path: PathLike) -> None:
    """Raise an error if a path is not a folder, or cannot be created or replaced."""
    target = Path(os.path.realpath(path))
    if os.path.exists(path) and not os.path.isdir(path):
        raise InputError(f"{path} is a file; name a folder")
    if not target.parent.is_dir():
        raise InputError(f"{path}: there is no such folder to make a folder in")
    if target.exists() and target in (Path.cwd(), *Path.cwd().parents):
        raise InputError(f"{path} is the current folder, or holds it, and would be replaced; name another folder")
    if os.path.ismount(target):
        raise InputError(f"{path} is a mount point, which cannot be replaced; name a folder in it")
    for folder in (target.parent, target):
        if folder.exists() and not os.access(folder, os.W_OK | os.X_OK):
            advice = f"; {path} is replaced by a folder that is built beside it" if folder != target else ""
            raise InputError(f"{folder} is read-only{advice}; choose another folder")


def restore_folder(folder: PathLike) -> None:
    """Give a folder its name back if a writer was killed between the two renames that replace it.

    At that moment the new folder still has its temporary name; later, an old one is no more than a leftover.
    """
    target = Path(os.path.realpath(folder))
    if target.exists() or not target.parent.is_dir():
        return
    pattern = re.compile(rf"\.{re.escape(target.name)}\.\d+-[0-9a-f]{{8}}{re.escape(_OLD)}")
    with locked_folder(target.parent):
        found = (entry for entry in target.parent.iterdir() if pattern.fullmatch(entry.name))
        old = next((entry for entry in found if entry.with_suffix(_NEW).exists()), None)
        if old is not None and not target.exists():
            os.rename(old, target)


def _copy_permissions(old: Path, new: Path) -> None:
    """Give the new folder owner and permissions of the old one, before the first byte: it may be private."""
    if old.exists():
        for owner in (old.stat().st_uid, -1):
            with suppress(OSError, AttributeError):  # only root may change the owner, a member the group; Windows has none
                os.chown(new, owner, old.stat().st_gid)
                break
        shutil.copystat(old, new)


def _rename_to_free_name(new: Path, target: Path) -> bool:
    """Rename a folder to a name that is free or of an empty folder; returns whether it was."""
    try:
        os.rename(new, target)
    except OSError:
        if not target.exists():
            raise
        return False
    return True


def _replace(new: Path, target: Path, is_part: Callable[[str], bool]) -> None:
    """Exchange the names of two folders, and keep files of the old one that are not replaced."""
    with locked_folder(target):  # so that other writers do not remove the old folder yet
        _keep_others(target, new, is_part)
        _exchange(new, target)
        try:
            _keep_others(new, target, is_part)  # files that have appeared meanwhile
        except BaseException:
            _exchange(new, target)
            raise


def _keep_others(old: Path, new: Path, is_part: Callable[[str], bool]) -> None:
    """Link files of the old folder that are not replaced into the new one."""
    with os.scandir(old) as entries:
        others = [entry.name for entry in entries if not is_part(entry.name)]
    for name in others:
        if not os.path.lexists(new / name):
            try:
                os.link(old / name, new / name, follow_symlinks=False)
            except OSError:  # a file system without links
                shutil.copy2(old / name, new / name, follow_symlinks=False)


def _exchange(new: Path, target: Path) -> None:
    """Exchange the names of two folders: in one step, or in three that `restore_folder` can undo."""
    if _exchange_at_once(new, target):
        return
    aside = new.with_suffix(_OLD)
    os.rename(target, aside)
    try:
        os.rename(new, target)
    except BaseException:
        if not target.exists():
            os.rename(aside, target)
        raise
    os.rename(aside, new)


def _exchange_at_once(first: Path, second: Path) -> bool:
    """Exchange the names of two folders in one step; returns whether the system can."""
    names = os.fsencode(first), os.fsencode(second)
    c_library: Any = ctypes.CDLL(None, use_errno=True) if sys.platform in ("linux", "darwin") else None
    if hasattr(c_library, "renameat2"):
        failed = c_library.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE)
    elif hasattr(c_library, "renamex_np"):
        failed = c_library.renamex_np(*names, _RENAME_SWAP)
    else:
        return False
    if failed and ctypes.get_errno() == errno.EXDEV:  # Linux's overlay file system
        what = "is in a layer of a container's image, where folders cannot be renamed"
        raise InputError(f"{second} {what}; remove it first, or choose another folder")
    if failed and ctypes.get_errno() not in _UNSUPPORTED:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), os.fspath(second))
    return not failed

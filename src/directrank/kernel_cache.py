"""Where compiled kernels are kept on disk: somewhere in any case, and never read when damaged.

Numba keeps a kernel beside its source file or in the user's cache folder, fails at import where neither can be written, and
raises at every start when a file of its cache is damaged. `install` changes both, for the kernels of this package alone.
"""

# mypy: disable-error-code="no-untyped-call, attr-defined, import-untyped, arg-type"
from __future__ import annotations

import atexit
import hashlib
import io
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from numba.core import caching, dispatcher
from numba.core.runtime import rtsys

from .kernel_linking import INSTALLED, LOADED, Linked, as_outermost
from .version import __version__

_PACKAGE = str(Path(__file__).parent) + os.sep
_DIGEST = hashlib.blake2b(digest_size=32)


def install() -> None:
    """Have Numba keep this package's kernels as this module says; importing this module does so, before any kernel."""
    classes = getattr(caching, "CacheImpl", None) or caching._CacheImpl  # the name that Numba had until 0.61
    if TemporaryFolder not in classes._locator_classes:
        classes._locator_classes.append(TemporaryFolder)
        dispatcher.FunctionCache = _cache_of(dispatcher.FunctionCache)


class TemporaryFolder(caching._SourceFileBackedLocatorMixin, caching._CacheLocator):  # type: ignore[misc]
    """The last resort: a private folder that lasts as long as the process."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._py_file = py_file
        self._lineno = py_func.__code__.co_firstlineno
        self._cache_path = os.path.join(_temporary_folder(), self.get_suitable_cache_subpath(py_file))

    def get_cache_path(self) -> str:
        return self._cache_path

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        return super().from_function(py_func, py_file) if py_file.startswith(_PACKAGE) else None


@cache
def _temporary_folder() -> str:
    folder, owner = tempfile.mkdtemp(prefix="directrank-"), os.getpid()

    def remove() -> None:
        if os.getpid() == owner:  # and not a process that was forked from it
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    _say_that_kernels_are_compiled_anew()
    return folder


@cache
def _say_that_kernels_are_compiled_anew() -> None:
    warnings.warn(
        "directrank cannot write compiled kernels beside its files or in your cache folder, so they are compiled anew in "
        "each process; set NUMBA_CACHE_DIR to a folder that can be written",
        RuntimeWarning,
        stacklevel=2,
    )


class KernelCache(caching.FunctionCache):  # type: ignore[misc]
    """A cache of one kernel that takes whatever cannot be loaded for missing, and does without what cannot be saved."""

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        # Numba looks at the kernel's own file; another version may have changed the kernels that this one calls.
        stamp = (__version__, self._impl.locator.get_source_stamp())
        self._cache_file = _CheckedFile(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            if not INSTALLED:
                return super().load_overload(sig, target_context)
            rtsys.initialize(target_context)  # all that loading needs; compiling needs imports that take longer
            saved = self._cache_file.load(self._index_key(sig, target_context.codegen()))
            return None if saved is None else self._rebuild(saved, target_context)
        except Exception:  # whatever a pickle raises that another version of some library has written
            return None

    def _rebuild(self, saved: Any, target_context: Any) -> Any:
        (name, _, code), *others = saved
        with as_outermost():
            return self._impl.rebuild(target_context, ((name, LOADED, code), *others))

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            if not isinstance(data.library, Linked):
                super().save_overload(sig, data)
        except OSError:  # a full disk, say: the kernel is compiled all the same
            return


class _CheckedFile(caching.IndexDataCacheFile):  # type: ignore[misc]
    """The files of a cache, each with a digest at its end: neither pickle nor LLVM gets to see damaged ones."""

    def _load_index(self) -> Any:
        return super()._load_index() if _is_intact(self._index_path) else {}

    def _load_data(self, name: str) -> Any:
        if not _is_intact(self._data_path(name)):
            raise FileNotFoundError(name)
        return super()._load_data(name)

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        content = io.BytesIO()
        yield content
        with super()._open_for_write(filepath) as file:
            file.write(content.getvalue() + _digest(content.getvalue()))


class _CacheWhenCalled:
    """The cache of a kernel once it is called: there are many, and looking for the folder of each took a while."""

    def __init__(self, py_func: Any) -> None:
        self._py_func = py_func

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    @cached_property
    def _cache(self) -> Any:
        try:
            return KernelCache(self._py_func)
        except (RuntimeError, OSError):  # not even a temporary folder can be written
            _say_that_kernels_are_compiled_anew()
            return caching.NullCache()


def _cache_of(others: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The cache of a function: ours for a kernel of this package."""
    ours = f"{__package__}."
    return lambda py_func: (_CacheWhenCalled if py_func.__module__.startswith(ours) else others)(py_func)


def _is_intact(path: str) -> bool:
    try:
        content = Path(path).read_bytes()
    except OSError:
        return False
    return content[-_DIGEST.digest_size :] == _digest(content[: -_DIGEST.digest_size])


def _digest(content: bytes) -> bytes:
    digest = _DIGEST.copy()
    digest.update(content)
    return digest.digest()


install()

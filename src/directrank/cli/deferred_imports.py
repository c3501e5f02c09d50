"""scikit-learn without the modules that it imports at its start and few commands use: they take most of its time."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from types import ModuleType
from typing import Any

#: What is imported when it is first used, and not with scikit-learn.
DEFERRED = ("asyncio", "numpy.f2py", "numpy.ma", "numpy.testing", "pandas", "scipy.special", "scipy.stats")


@cache
def start_quickly() -> None:
    """Have this process, which is the command's own, import scikit-learn so."""
    sys.meta_path.insert(0, _Finder())
    gc.set_threshold(50_000, 20, 100)  # imports make objects by the hundred thousand, which stay; a command ends soon


class _Finder(MetaPathFinder):
    """Finds scikit-learn."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target) if fullname == "sklearn" else None
        if spec is not None and spec.loader is not None:
            spec.loader = _Deferring(spec.loader)
        return spec


class _Deferring(Loader):
    """Loads a module while those deferred are stood in for."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        with _stand_ins():
            self._loader.exec_module(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


class _StandIn(ModuleType):
    """A module until one of its names is asked for."""

    def stand_in(self) -> None:
        sys.modules[self.__name__] = vars(self._parent())[self._last_name()] = self

    def step_aside(self) -> None:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__], vars(self._parent())[self._last_name()]

    def __getattr__(self, name: str) -> Any:
        self.step_aside()
        return getattr(import_module(self.__name__), name)

    def _parent(self) -> ModuleType:
        return sys.modules[self.__name__.rpartition(".")[0] or __name__]

    def _last_name(self) -> str:
        return self.__name__.rpartition(".")[2]


@contextmanager
def _stand_ins() -> Iterator[None]:
    """While the block runs, importing a deferred module that has not been loaded gives its stand-in."""
    modules = [_StandIn(name) for name in DEFERRED if name not in sys.modules and find_spec(name) is not None]
    for module in modules:
        module.stand_in()
    try:
        yield
    finally:
        for module in modules:
            module.step_aside()

"""Names of a package that are imported when they are first asked for: most users need few, and Numba takes its time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def lazily(
    package: str, names: Mapping[str, Iterable[str]], submodules: Iterable[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package (PEP 562).

    Parameters
    ----------
    package : str
        Its ``__name__``.
    names : dict of lists of names
        From a module, relative to the package, to what the package has from there.
    submodules : names
        What else the package has: modules of its own.
    """
    module_of = {name: module for module, several in names.items() for name in several}
    modules = set(submodules)
    own = vars(sys.modules[package])

    def find(name: str) -> Any:
        if name in modules:
            return import_module(f"{package}.{name}")
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=sys.modules[package])
        own[name] = getattr(import_module(f"{package}.{module_of[name]}"), name)  # found at once the next time
        return own[name]

    def listed() -> list[str]:
        return sorted({*own, *module_of, *modules})

    return find, listed

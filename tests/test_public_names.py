"""Public modules: `dir` lists `__all__`, every name exists, and none is replaced by a submodule."""

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
MODULES += ("evaluation", "evaluation.plots", "evaluation.report", "selection", "distributed", "papers")
MODULES += ("measures.testing", "learners.testing")


@pytest.fixture(params=MODULES)
def module(request: pytest.FixtureRequest) -> ModuleType:
    if request.param == "distributed":
        pytest.importorskip("distributed")
    return importlib.import_module(f"directrank.{request.param}")


def test_dir_is_all(module: ModuleType) -> None:
    assert dir(module) == sorted(module.__all__)


def test_every_name_exists_once(module: ModuleType) -> None:
    assert len(set(module.__all__)) == len(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_no_name_is_replaced_by_a_submodule(module: ModuleType) -> None:
    submodules = {info.name for info in pkgutil.iter_modules(getattr(module, "__path__", ()))}
    for name in submodules & set(module.__all__):
        before = getattr(module, name)
        importlib.import_module(f"{module.__name__}.{name}")
        assert getattr(module, name) is before


def test_every_learner_can_be_imported_from_the_package() -> None:
    assert {entry.class_name for entry in LEARNERS.values()} <= set(directrank.__all__) & set(directrank.learners.__all__)


def test_every_export_function_is_public() -> None:
    functions = {f.__name__ for target in export.TARGETS.values() for f in (target.export, target.features) if f}
    assert functions <= set(export.__all__)

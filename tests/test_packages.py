"""Each package imports only from the packages that the table allows."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "directrank"

MAY_IMPORT = {
    "core": set(),
    "measures": set(),
    "data": set(),
    "matrix": {"data"},
    "models": {"data", "matrix"},
    "learners": {"measures", "data", "matrix", "models"},
    "clicks": {"measures", "data"},
    "retrieval": {"data"},
    "features": {"data", "matrix", "retrieval"},
    "fusion": {"measures", "data", "matrix", "features", "learners", "models"},
    "datasets": {"data", "retrieval"},
    "evaluation": {"measures", "data", "matrix", "models"},
    "selection": {"learners", "measures", "data", "matrix", "models", "evaluation"},
    "distributed": {"learners", "measures", "data", "matrix", "models", "evaluation"},
}
MAY_IMPORT["papers"] = {*MAY_IMPORT}
MAY_IMPORT["cli"] = {*MAY_IMPORT, ""}

FILES = sorted([*PACKAGE.glob("*/**/*.py"), *PACKAGE.glob("*/**/*.pyi")])

MEASURES_MAY_IMPORT = {"numpy", "directrank", *sys.stdlib_module_names}


def imported(file: Path) -> set[str]:
    """Full names of the modules that a file imports."""
    package = ("directrank", *file.relative_to(PACKAGE).parts[:-1])
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *([node.module] if node.module else [])))
            names.add(module)
            names.update(f"{module}.{alias.name}" for alias in node.names)
    return names


def packages_used(file: Path) -> set[str]:
    """Packages of directrank that a file imports; directrank itself is ''."""
    ours = [name.split(".") for name in imported(file) if name.split(".")[0] == "directrank"]
    found = {parts[1] for parts in ours if len(parts) > 1 and parts[1] in MAY_IMPORT}
    return found | ({""} if ["directrank"] in ours else set())


def test_every_package_is_in_the_table() -> None:
    assert {folder.name for folder in PACKAGE.iterdir() if (folder / "__init__.py").exists()} <= set(MAY_IMPORT)


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(PACKAGE)))
def test_imports_follow_the_table(file: Path) -> None:
    package = file.relative_to(PACKAGE).parts[0]
    assert packages_used(file) - {package, "core"} <= MAY_IMPORT[package]


@pytest.mark.parametrize("file", sorted(PACKAGE.glob("measures/**/*.py")), ids=lambda f: f.name)
def test_measures_import_numpy_only(file: Path) -> None:
    assert {name.split(".")[0] for name in imported(file)} <= MEASURES_MAY_IMPORT


def test_a_forbidden_import_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "measures" / "wrong.py"
    file.parent.mkdir()
    file.write_text("from ..data import RankingData\nfrom directrank import evaluate\nimport scipy.sparse\n")
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path)
    assert packages_used(file) == {"data", ""}
    assert "scipy.sparse" in imported(file)

"""docs/architecture.md: files of its walks exist, each imported by one before it; its table has all packages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from test_packages import MAY_IMPORT, PACKAGE, imported

PAGE = (Path(__file__).parents[1] / "docs" / "architecture.md").read_text()

#: Maximum number of files that one reads to follow a fit.
MAX_FILES_OF_A_FIT = 13


def walks() -> dict[str, list[str]]:
    """Files of each walk, in the order in which they are first named."""
    found = {}
    for title, text in re.findall(r"^## Walk: (.*?)\n(.*?)(?=^## )", PAGE, re.DOTALL | re.MULTILINE):
        named = re.findall(r"`([a-z_/]+\.py)`", text)
        found[title] = [file for file in dict.fromkeys(named) if not file.startswith("tests/")]
    return found


def modules_imported(file: str) -> set[str]:
    """Modules that a file, or its stub, imports, as paths.

    A name from a package counts as the module that its stub imports it from; a package without a stub imports all that its
    ``__init__.py`` does.
    """
    stub = (PACKAGE / file).with_suffix(".pyi")
    names = imported(PACKAGE / file) | (imported(stub) if stub.exists() else set())
    packages = [PACKAGE.joinpath(*name.split(".")[1:]) for name in names if name.startswith("directrank.")]
    eager = [package / "__init__.py" for package in packages if (package / "__init__.py").exists()]
    names |= {name for init in eager if not init.with_suffix(".pyi").exists() for name in imported(init)}
    return {path for name in names for path in _paths(name)}


def _paths(name: str) -> list[str]:
    parts = name.removeprefix("directrank.").split(".")
    direct = "/".join(parts) + ".py"
    if (PACKAGE / direct).exists():
        return [direct]
    for kind in ("__init__.pyi", "__init__.py"):
        stub = PACKAGE.joinpath(*parts[:-1], kind)
        if stub.exists():
            source = re.search(rf"from \.([\w.]+) import \(?[^()]*?\b{re.escape(parts[-1])}\b", stub.read_text())
            if source:
                return ["/".join((*parts[:-1], *source[1].split("."))) + ".py"]
    return []


def test_there_are_walks_to_check() -> None:
    assert len(walks()) == 3 and all(len(files) >= 5 for files in walks().values())


@pytest.mark.parametrize("walk", walks())
def test_each_file_of_a_walk_is_imported_by_one_before_it(walk: str) -> None:
    files = walks()[walk]
    for number, file in enumerate(files):
        assert (PACKAGE / file).exists(), file
        if number:
            assert any(file in modules_imported(earlier) for earlier in files[:number]), file


def test_a_fit_is_followed_through_a_dozen_files() -> None:
    (files,) = (files for title, files in walks().items() if "SVMRanker" in title)
    assert len(files) <= MAX_FILES_OF_A_FIT


def test_the_table_has_all_packages_and_what_they_may_import() -> None:
    table = dict(re.findall(r"^\| `(\w+)/` \| .* \| ([^|]*) \|$", PAGE[PAGE.index("## Packages") :], re.MULTILINE))
    everything = {"papers", "cli"}
    assert set(table) == set(MAY_IMPORT) - {"core"}
    for package, imports in table.items():
        if package not in everything:
            assert set(re.findall(r"`(\w+)`", imports)) == MAY_IMPORT[package], package

"""The digest of the code that computes results: what changes it, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from directrank.core import _compiled
from directrank.papers import code_digest as module
from directrank.papers.code_digest import LIBRARIES, code_digest

VERSIONS = {"numpy": "2.1"}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name in ("learners/svm.py", "core/_compiled.so", "cli/app.py", "distributed/mesh.py", "learners/notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x = 1")
    return tmp_path


def digest(package: Path, versions: dict[str, str]) -> str:
    return module.digest(package, package / "core" / "_compiled.so", versions)


@pytest.mark.parametrize("name", ["learners/svm.py", "core/_compiled.so", "learners/new.py"])
def test_code_changes_it(package: Path, name: str) -> None:
    before = digest(package, VERSIONS)
    (package / name).write_bytes(b"x = 2")
    assert digest(package, VERSIONS) != before


def test_moved_code_changes_it(package: Path) -> None:
    before = digest(package, VERSIONS)
    (package / "learners" / "svm.py").rename(package / "learners" / "ranksvm.py")
    assert digest(package, VERSIONS) != before


@pytest.mark.parametrize("name", ["cli/app.py", "distributed/mesh.py", "learners/notes.txt"])
def test_what_computes_nothing_does_not(package: Path, name: str) -> None:
    before = digest(package, VERSIONS)
    (package / name).write_bytes(b"x = 2")
    assert digest(package, VERSIONS) == before


def test_versions_of_libraries_change_it(package: Path) -> None:
    assert digest(package, VERSIONS) != digest(package, {"numpy": "2.2"})
    assert "lightgbm" in LIBRARIES and code_digest() == code_digest()


def test_the_core_is_the_one_in_use(monkeypatch, tmp_path: Path) -> None:
    """An editable install has it outside of the sources."""
    before = code_digest()
    (tmp_path / "other.so").write_bytes(b"other code")
    monkeypatch.setattr(_compiled, "__file__", str(tmp_path / "other.so"))
    assert code_digest.__wrapped__() != before

"""Generated pages of the reference: commands with their options, and the public API."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

EXTENSIONS = Path(__file__).parents[2] / "docs" / "_ext"


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(sys, "path", [str(EXTENSIONS), *sys.path])
    folder = tmp_path / "reference"
    import_module("reference_pages").write_pages(folder)
    return folder


def test_every_command_is_listed_with_its_options(pages: Path) -> None:
    page = (pages / "command.rst").read_text()
    by_command = {section.split(":\n", 1)[0]: section for section in page.split("\n.. _command-")[1:]}
    assert {"directrank-train", "directrank-best", "directrank-papers-run"} <= set(by_command)
    assert "``-o, --output" in by_command["directrank-train"] and "--validate" in by_command["directrank-train"]
    for name, section in by_command.items():
        is_group = name in ("directrank-papers", "directrank-clicks")  # which have no options of their own
        assert is_group or "\n``" in section, name


def test_pages_named_in_help_become_links(pages: Path) -> None:
    assert ":doc:`/serving`" in (pages / "command.rst").read_text()


def test_every_public_name_is_on_its_module_page(pages: Path) -> None:
    for module in import_module("reference_pages").MODULES:
        page = (pages / f"{module}.rst").read_text()
        public = import_module(module)
        for name in public.__all__:
            if isinstance(getattr(public, name), ModuleType):
                continue  # it has a page of its own
            assert f"   {name}\n" in page or f".{name}\n" in page or f" {name}\n" in page, (module, name)


def test_unchanged_pages_are_not_rewritten(pages: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in pages.iterdir()}
    import_module("reference_pages").write_pages(pages)
    assert before == {path: path.stat().st_mtime_ns for path in pages.iterdir()}

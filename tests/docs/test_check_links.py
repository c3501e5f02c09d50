"""The link checker of the built site."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

EXTENSIONS = Path(__file__).parents[2] / "docs" / "_ext"


def test_broken_links_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(EXTENSIONS), *sys.path])
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "other.html").write_text('<h1 id="top">x</h1><a href="../index.html#here">back</a>')
    (tmp_path / "index.html").write_text(
        '<p id="here"><a href="#here"></a><a href="more/other.html#top"></a><a href="https://example.org/none"></a>'
        '<a href="more/other.html#gone"></a><a href="missing.html"></a><img src="missing.png"><a href="#gone"></a>'
    )
    found = import_module("check_links").broken_links(tmp_path)
    links = ["more/other.html#gone", "missing.html", "missing.png", "#gone"]
    assert found == [f"index.html: broken link {link}" for link in links]

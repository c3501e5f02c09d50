"""The pictures in the docs are those that their script draws."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripts import ranking_pictures


@pytest.mark.parametrize("path", sorted(ranking_pictures.FOLDER.iterdir()), ids=lambda path: path.name)
def test_a_picture_is_as_drawn(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking_pictures, "FOLDER", tmp_path)
    ranking_pictures.draw_all()
    assert (tmp_path / path.name).read_text() == path.read_text()

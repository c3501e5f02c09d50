"""What the commands of the papers say when their arguments are wrong."""

from __future__ import annotations

import importlib
import sys

import pytest


@pytest.mark.parametrize(
    ("paper", "arguments"),
    [
        ("joachims", []),
        ("joachims", ["covertype"]),
        ("joachims", ["covertype", "a", "b", "c"]),
        ("yue", []),
        ("yue", ["cranfield"]),
        ("yue", ["trec9", "folder"]),
    ],
)
def test_wrong_arguments_print_the_usage(
    paper: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main = importlib.import_module(f"directrank.papers.{paper}").main
    monkeypatch.setattr(sys, "argv", ["main", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    said = capsys.readouterr()
    assert end.value.code == 2 and said.out == ""
    assert said.err.startswith(f"usage: python -m directrank.papers.{paper} ") and said.err.count("\n") == 1

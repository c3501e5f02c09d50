"""Output that pages show: what counts as the same, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from shown_output import assert_output, commands, updated
from terminal import run_in_terminal

from directrank import __version__

TABLE = """
┏━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━┓
┃ mean of 360 queries ┃     AP ┃
┡━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━┩
│ bm25                │ 0.5776 │
│ tfidf               │ 0.5645 │
└─────────────────────┴────────┘
Trained in 12 s on 1,284 documents.
"""

ALIKE = {
    "other figures": TABLE.replace("0.5776", "0.5512").replace("1,284", "1,301"),
    "another width": TABLE.replace("─", "──").replace("━", "━━").replace("┃     AP", "┃         AP"),
    "another duration": TABLE.replace("12 s", "3.5 min"),
}

DIFFERENT = {
    "another number": TABLE.replace("0.5776", "0.9776"),
    "another word": TABLE.replace("tfidf", "dirichlet"),
    "another sign": TABLE.replace("0.5645", "-0.5645"),
    "no figure": TABLE.replace("0.5776", "      "),
    "fewer digits are no shape": TABLE.replace("mean of 360 queries", "mean of queries"),
    "a line less": TABLE.replace("│ tfidf               │ 0.5645 │\n", ""),
    "a line more": TABLE + "One more thing.\n",
    "another line first": "A note.\n" + TABLE,
    "another order": TABLE.replace("bm25 ", "x").replace("tfidf", "bm25 ").replace("x", "tfidf"),
    "nothing": "",
}


@pytest.mark.parametrize("name", ALIKE)
def test_figures_and_widths_may_differ_a_little(name: str) -> None:
    assert ALIKE[name] != TABLE
    assert_output(TABLE, ALIKE[name])


@pytest.mark.parametrize("name", DIFFERENT)
def test_the_shape_may_not(name: str) -> None:
    with pytest.raises(AssertionError, match=r"the page (shows|does not show)"):
        assert_output(TABLE, DIFFERENT[name])


LINES = "one\ntwo\nthree\nfour\n"


@pytest.mark.parametrize(
    "shown", ["one\n...\nfour", "...\nfour", "one\n...", "...", "one\n...\nthree\n...", "...\ntwo\n...\nfour", LINES]
)
def test_dots_stand_for_any_lines(shown: str) -> None:
    assert_output(shown, LINES)


@pytest.mark.parametrize(
    "shown", ["one\n...\nfive", "...\none", "two\n...", "one\n...\ntwo\n...\none", "...\nfour\n...\nthree\n...", "one\ntwo"]
)
def test_dots_do_not_stand_for_a_line_that_is_shown(shown: str) -> None:
    with pytest.raises(AssertionError):
        assert_output(shown, LINES)


PAGE = """# Page

```console
$ directrank --version
0.0
$ directrank demo --help
```

```console
$ directrank --help
```
"""


def test_commands_of_a_page_and_their_output() -> None:
    found = list(commands(PAGE))
    assert [tuple(each) for each in found] == [
        ("directrank --version", "0.0"),
        ("directrank demo --help", ""),
        ("directrank --help", ""),
    ]


def test_output_that_is_shown_can_be_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert updated(PAGE) == PAGE.replace("0.0", __version__)


def test_the_terminal_is_80_columns_wide_and_has_results_and_notes() -> None:
    shown = run_in_terminal("evaluate", "--help")
    assert shown.code == 0 and max(map(len, shown.text.splitlines())) == 80 and "\x1b" not in shown.text
    shown = run_in_terminal("describe", "nowhere.txt")
    assert shown.code == 2 and shown.text == "directrank: nowhere.txt: No such file or directory\n"

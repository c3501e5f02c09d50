"""The README and the docs: examples run, print what is shown, and pass mypy --strict; figures and links are right."""

from __future__ import annotations

import doctest
import importlib
import json
import os
import pkgutil
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from harness import run
from shown_output import assert_output, commands
from terminal import run_in_terminal

import directrank
from directrank import (
    LambdaMART,
    Measure,
    Qrels,
    RankingData,
    Run,
    SVMRanker,
    save_model,
    write_letor,
    write_qrels,
    write_run,
)
from directrank.cli.actions import example
from directrank.data import write_scores
from directrank.datasets import make_ranking
from directrank.datasets.example import make_example
from directrank.learners import LEARNERS
from directrank.measures.name_parser import measure_class
from directrank.models.export import TARGETS

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]

#: Folders that the site's build generates; Sphinx checks links to them.
GENERATED = ("gallery/", "reference/")


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def python_examples() -> list[object]:
    """Python blocks of all pages, each with its expected output: the indented lines right after it, if any."""
    example = re.compile(r"^```python\n(.*?)^```\n(?:\n((?: {4}[^\n]*\n)+))?", re.DOTALL | re.MULTILINE)
    return [
        pytest.param(page, block, textwrap.dedent(printed) or None, id=f"{page.name}-{number}")
        for page in PAGES
        for number, (block, printed) in enumerate(example.findall(page.read_text()), 1)
    ]


@pytest.fixture
def measure_registry() -> Iterator[None]:
    known = set(Measure.registry)
    yield
    for name in set(Measure.registry) - known:
        del Measure.registry[name]


@pytest.mark.usefixtures("measure_registry")
@pytest.mark.parametrize(("page", "block", "printed"), python_examples())
def test_python_example_runs_and_its_values_are_right(
    page: Path,
    block: str,
    printed: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each example runs alone, in an empty folder. A value in a comment at the end of a line is compared with the line's."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    exec(compile(block, str(page), "exec", dont_inherit=True), names)
    if printed is not None:
        assert capsys.readouterr().out == printed
    for code, shown in re.findall(r"^((?:result|evaluate)[^#\n]*?) +# ([\d{\[].*)$", block, re.MULTILINE):
        assert_shown(eval(code, names), shown)
    for name, shown in re.findall(r"^(\w+) = .*# (RankingData.*)$", block, re.MULTILINE):
        assert repr(names[name]) == shown


def test_python_examples_pass_mypy_strict(tmp_path: Path) -> None:
    """As scripts of a user, with directrank typed and third-party packages without stubs ignored, as in pyproject.toml."""
    scripts = []
    for page in PAGES:
        for number, block in enumerate(blocks(page, "python"), 1):
            scripts.append(tmp_path / f"{page.stem.lower()}_{number}.py")
            scripts[-1].write_text(block)
    strict = ["--strict", "--warn-return-any", "--warn-unused-ignores", "--follow-imports=silent", "--scripts-are-modules"]
    found = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir", tmp_path / "cache"),
            *strict,
            *scripts,
        ],
        env=os.environ | {"MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr


def assert_shown(value: object, shown: str) -> None:
    numbers = [float(n) for n in re.findall(r"(?<![@=\w])\d+\.\d+", shown)]
    values = value.values() if isinstance(value, dict) else np.atleast_1d(value)
    assert numbers and len(numbers) <= len(list(values)), shown
    for number, actual in zip(numbers, values, strict=False):
        assert abs(number - actual) < 1e-3, (shown, value)


#: Files that a page's commands assume; all others are written by earlier commands of the page.
ASSUMED_FILES = {
    "choosing.md": ["data.txt", "train.txt"],
    "coming_from.md": ["train.txt", "vali.txt", "test.txt", "qrels.txt", "bm25.run"],
    "command_line.md": ["data.txt", "train.txt", "vali.txt", "test.txt", "qrels.txt", "bm25.run", "neural.run"],
    "comparing.md": [
        *("qrels.txt", "bm25.run", "neural.run", "fused.run", "docs.jsonl", "queries.tsv"),
        *("test.txt", "svm.json", "trees.json", "theirs.txt"),
    ],
    "data.md": ["train.txt", "test.txt"],
    "serving.md": ["qrels.txt", "log.jsonl", "check.jsonl", "app", "started.json"],
}


@pytest.fixture(scope="module")
def user_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all files of `ASSUMED_FILES`."""
    folder = tmp_path_factory.mktemp("user")
    made = make_ranking(12, (10, 30), random_state=0)
    qid, docno = made.qid.astype(str), [f"d{row}" for row in range(len(made))]
    data = RankingData(made.X[:, :6], made.y, qid, docno=docno)
    for name in ("data", "train", "vali", "test"):
        write_letor(folder / f"{name}.txt", data)
    write_scores(folder / "theirs.txt", data.X[:, 0])
    write_qrels(folder / "qrels.txt", Qrels(qid, docno, data.y))
    for feature, name in enumerate(("bm25", "neural", "fused")):
        write_run(folder / f"{name}.run", Run(qid, docno, data.X[:, feature], name))
    save_model(folder / "trees.json", LambdaMART("nDCG@10", n_estimators=3).fit(data.X, data.y, data.qid))
    started = LambdaMART("nDCG@10", init=SVMRanker("AP", C=1), n_estimators=3).fit(data.X, data.y, data.qid)
    save_model(folder / "started.json", started)
    save_model(folder / "svm.json", SVMRanker("AP", C=1).fit(data.X, data.y, data.qid))
    for name in ("log", "check"):
        write_engine_log(folder / f"{name}.jsonl", data, docno)
    words = [
        f"number {row}" + f" topic{query}" * (1 + int(grade))
        for row, (query, grade) in enumerate(zip(qid, data.y, strict=True))
    ]
    texts = [{"id": name, "text": text} for name, text in zip(docno, words, strict=True)]
    (folder / "docs.jsonl").write_text("".join(json.dumps(text) + "\n" for text in texts))
    (folder / "queries.tsv").write_text("".join(f"{query}\tabout topic{query}\n" for query in sorted(set(qid))))
    (folder / "names.txt").write_text("".join(f"feature_{number}\n" for number in range(15)))
    (folder / "app" / "models").mkdir(parents=True)
    return folder


def write_engine_log(path: Path, data: RankingData, docno: list[str]) -> None:
    """Write a response for each row, in the log format of the Elasticsearch plugin."""
    with path.open("w") as file:
        for row, values in enumerate(data.X.tolist()):
            logged = [{"name": f"feature_{i}", "value": value} for i, value in enumerate(values)]
            hit = {"_id": docno[row], "fields": {"_ltrlog": [{"main": logged}]}}
            file.write(json.dumps({"qid": str(data.qid[row]), "hits": {"hits": [hit]}}) + "\n")


MAKE_EXAMPLE = cache(make_example)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")], ids=lambda page: page.name)
def test_commands_of_a_page_run_in_order_and_print_what_it_shows(
    page: Path, user_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They run in this process, in a folder with the assumed files; `--time 10m` becomes `--time 1s`."""
    for name in ASSUMED_FILES.get(page.name, []):
        source = user_files / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(example, "make_example", MAKE_EXAMPLE)
    for command in commands(page.read_text()):
        name, *arguments = shlex.split(command.line.replace("--time 10m", "--time 1s"))
        assert name == "directrank", command
        if command.output:
            shown = run_in_terminal(*arguments)
            assert shown.code == 0, (command.line, shown.text)
            assert_output(command.output, shown.text)
        else:
            ended = run(*arguments)
            assert ended.code == 0, (command.line, ended.err)


def test_json_examples_are_valid() -> None:
    for page in PAGES:
        for block in blocks(page, "json"):
            json.loads(block)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_have_targets(page: Path) -> None:
    """Linked files exist, and URLs are well formed; tests need no network. Sphinx checks anchors."""
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)#\s]+)", prose):
        if "://" in target:
            assert re.fullmatch(r"https://[\w.-]+\.\w+(/[\w./%~-]*)?", target), target
        elif not target.startswith(GENERATED):
            assert (page.parent / target).exists(), target


def test_guarantees_name_existing_tests() -> None:
    page = (ROOT / "docs" / "trust.md").read_text()
    tests = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    for name in re.findall(r"`(test_\w+)`", page):
        assert f"def {name}(" in tests, name
    for path in re.findall(r"`(tests/[\w/]+\.py)`", page):
        assert (ROOT / path).exists(), path


def modules() -> list[str]:
    found = pkgutil.walk_packages(directrank.__path__, "directrank.")
    return [module.name for module in found if not module.name.endswith("__main__")]


@pytest.mark.parametrize("module", modules())
def test_doctests(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # examples may write files
    assert doctest.testmod(importlib.import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0


def test_every_learner_is_documented() -> None:
    page = (ROOT / "docs" / "learners.md").read_text()
    for entry in LEARNERS.values():
        assert f"`{entry.class_name}(" in page, entry.class_name


def test_every_export_target_is_documented() -> None:
    page = (ROOT / "docs" / "serving.md").read_text()
    for name in TARGETS:
        assert f"`{name}`" in page or f"--to {name}" in page, name


def test_every_measure_is_documented() -> None:
    table = (ROOT / "docs" / "measures.md").read_text()
    for name in sorted(directrank.measures.known_names()):
        if measure_class(name).__module__.startswith("directrank."):
            assert re.search(rf"`{name}[`(@]", table), name

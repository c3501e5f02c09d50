"""The README and the docs: examples run as a reader would run them, their figures hold, their links lead somewhere."""

from __future__ import annotations

import doctest
import importlib
import json
import pkgutil
import re
import shlex
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from harness import run

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
from directrank.data import write_scores
from directrank.datasets import make_ranking
from directrank.learners import LEARNERS
from directrank.measures.name_parser import measure_class
from directrank.models.export import TARGETS

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]

#: What the site makes when it is built; Sphinx checks links to it.
MADE_BY_THE_SITE = ("gallery/", "reference/")


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def each_example() -> list[object]:
    """The blocks of Python of all pages, each with the indented lines right after it, if any, which are what it prints."""
    example = re.compile(r"^```python\n(.*?)^```\n(?:\n((?: {4}[^\n]*\n)+))?", re.DOTALL | re.MULTILINE)
    return [
        pytest.param(page, block, textwrap.dedent(printed) or None, id=f"{page.name}-{number}")
        for page in PAGES
        for number, (block, printed) in enumerate(example.findall(page.read_text()), 1)
    ]


@pytest.fixture
def measures_as_they_were() -> Iterator[None]:
    known = set(Measure.registry)
    yield
    for name in set(Measure.registry) - known:
        del Measure.registry[name]


@pytest.mark.usefixtures("measures_as_they_were")
@pytest.mark.parametrize(("page", "block", "printed"), each_example())
def test_a_python_example_runs_alone_and_says_the_truth(
    page: Path,
    block: str,
    printed: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In an empty folder. Where a line ends in a comment with a value, that is its value, to the digits shown."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    exec(compile(block, str(page), "exec", dont_inherit=True), names)
    if printed is not None:
        assert capsys.readouterr().out == printed
    for code, shown in re.findall(r"^((?:result|evaluate)[^#\n]*?) +# ([\d{\[].*)$", block, re.MULTILINE):
        compare(eval(code, names), shown)
    for name, shown in re.findall(r"^(\w+) = .*# (RankingData.*)$", block, re.MULTILINE):
        assert repr(names[name]) == shown


def compare(value: object, shown: str) -> None:
    numbers = [float(n) for n in re.findall(r"(?<![@=\w])\d+\.\d+", shown)]
    values = value.values() if isinstance(value, dict) else np.atleast_1d(value)
    assert numbers and len(numbers) <= len(list(values)), shown
    for number, actual in zip(numbers, values, strict=False):
        assert abs(number - actual) < 1e-3, (shown, value)


#: What a reader has before the first command of a page; everything else is made by the commands before.
BEFORE = {
    "README.md": ["data.txt", "train.txt", "vali.txt", "test.txt"],
    "choosing.md": ["data.txt", "train.txt"],
    "coming_from.md": ["train.txt", "vali.txt", "test.txt", "qrels.txt", "bm25.run"],
    "command_line.md": ["data.txt", "train.txt", "vali.txt", "test.txt", "qrels.txt", "bm25.run", "neural.run"],
    "comparing.md": [
        *("qrels.txt", "bm25.run", "neural.run", "fused.run", "docs.jsonl", "queries.tsv"),
        *("test.txt", "svm.json", "trees.json", "theirs.txt"),
    ],
    "index.md": ["train.txt", "vali.txt", "test.txt"],
    "serving.md": ["qrels.txt", "log.jsonl", "check.jsonl", "app"],
    "tutorial.md": ["docs.jsonl", "queries.tsv", "qrels.txt", "log.jsonl", "names.txt", "bm25.run", "neural.run"],
}


@pytest.fixture(scope="module")
def files_of_a_user(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all files of `BEFORE`."""
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
    """A response for each row, as the plugin of Elasticsearch logs them."""
    with path.open("w") as file:
        for row, values in enumerate(data.X.tolist()):
            logged = [{"name": f"feature_{i}", "value": value} for i, value in enumerate(values)]
            hit = {"_id": docno[row], "fields": {"_ltrlog": [{"main": logged}]}}
            file.write(json.dumps({"qid": str(data.qid[row]), "hits": {"hits": [hit]}}) + "\n")


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")], ids=lambda page: page.name)
def test_the_commands_of_a_page_run_one_after_another(
    page: Path, files_of_a_user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lines after a $, in this process, in a folder with what a reader has before; ten minutes are cut to a second."""
    for name in BEFORE[page.name]:
        there = files_of_a_user / name
        (shutil.copytree if there.is_dir() else shutil.copy)(there, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    for block in blocks(page, "console"):
        commands = [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]
        assert commands, block
        for line in commands:
            name, *arguments = shlex.split(line.replace("--time 10m", "--time 1s"))
            assert name == "directrank", line
            ended = run(*arguments)
            assert ended.code == 0, (line, ended.err)


def test_json_of_the_docs_is_json() -> None:
    for page in PAGES:
        for block in blocks(page, "json"):
            json.loads(block)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Files exist; addresses elsewhere are of the right form, as no network is needed for tests. Sphinx checks anchors."""
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)#\s]+)", prose):
        if "://" in target:
            assert re.fullmatch(r"https://[\w.-]+\.\w+(/[\w./%~-]*)?", target), target
        elif not target.startswith(MADE_BY_THE_SITE):
            assert (page.parent / target).exists(), target


def test_promises_name_tests_that_exist() -> None:
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
    monkeypatch.chdir(tmp_path)  # where examples may write
    assert doctest.testmod(importlib.import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0


def test_every_learner_is_in_the_docs() -> None:
    page = (ROOT / "docs" / "learners.md").read_text()
    for entry in LEARNERS.values():
        assert f"`{entry.class_name}(" in page, entry.class_name


def test_every_export_target_is_in_the_docs() -> None:
    page = (ROOT / "docs" / "serving.md").read_text()
    for name in TARGETS:
        assert f"`{name}`" in page or f"--to {name}" in page, name


def test_every_measure_is_in_the_docs() -> None:
    table = (ROOT / "docs" / "measures.md").read_text()
    for name in sorted(directrank.measures.known_names()):
        if measure_class(name).__module__.startswith("directrank."):
            assert re.search(rf"`{name}[`(@]", table), name

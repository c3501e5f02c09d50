"""The README and the docs: every example runs alone, their figures hold, their links lead somewhere."""

from __future__ import annotations

import doctest
import importlib
import json
import pkgutil
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

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
    write_parquet,
    write_qrels,
    write_run,
)
from directrank.cli import main
from directrank.data import write_scores
from directrank.datasets import make_ranking

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]

#: What the site makes when it is built; Sphinx checks links to it.
MADE_BY_THE_SITE = ("gallery/", "reference/")


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def each_block(language: str) -> list[object]:
    """The blocks of all pages, each named by its page and number."""
    return [
        pytest.param(page, block, id=f"{page.name}-{number}")
        for page in PAGES
        for number, block in enumerate(blocks(page, language), 1)
    ]


@pytest.fixture
def measures_as_they_were() -> Iterator[None]:
    known = set(Measure.registry)
    yield
    for name in set(Measure.registry) - known:
        del Measure.registry[name]


@pytest.mark.usefixtures("measures_as_they_were")
@pytest.mark.parametrize(("page", "block"), each_block("python"))
def test_a_python_example_runs_alone_and_says_the_truth(
    page: Path, block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an empty folder; where a line ends in a comment with a value, that is its value, to the digits shown."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    exec(compile(block, str(page), "exec", dont_inherit=True), names)
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


@pytest.fixture(scope="module")
def files_of_a_user(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the commands of the pages name."""
    folder = tmp_path_factory.mktemp("user")
    made = make_ranking(12, (10, 30), random_state=0)
    qid, docno = made.qid.astype(str), [f"d{row}" for row in range(len(made))]
    data = RankingData(made.X[:, :6], made.y, qid, docno=docno, feature_names=[f"feature_{i}" for i in range(6)])
    for name in ("train", "vali", "test"):
        write_letor(folder / f"{name}.txt", data)
        write_parquet(folder / f"{name}.parquet", data)
    write_letor(folder / "data.txt", RankingData(data.X, data.y, qid, docno=docno))  # without names of features
    write_parquet(folder / "check.parquet", data)
    for name in ("scores", "theirs"):
        write_scores(folder / f"{name}.txt", data.X[:, 0])
    write_qrels(folder / "qrels.txt", Qrels(qid, docno, data.y))
    for feature, name in enumerate(("bm25", "neural", "fused")):
        write_run(folder / f"{name}.run", Run(qid, docno, data.X[:, feature], name))
    trees = LambdaMART("nDCG@10", n_estimators=3).fit(data.X, data.y, data.qid)
    linear = SVMRanker("AP", C=1).fit(data.X, data.y, data.qid)
    for name, learner in {"model": trees, "trees": trees, "svm": linear}.items():
        save_model(folder / f"{name}.json", learner)
    for name in ("log", "check"):
        write_engine_log(folder / f"{name}.jsonl", data, docno)
    texts = [{"id": name, "text": f"a text about number {row}"} for row, name in enumerate(docno)]
    (folder / "docs.jsonl").write_text("".join(json.dumps(text) + "\n" for text in texts))
    (folder / "queries.tsv").write_text("".join(f"{query}\tnumber {query}\n" for query in sorted(set(qid))))
    (folder / "app" / "models").mkdir(parents=True)
    return folder


def write_engine_log(path: Path, data: RankingData, docno: list[str]) -> None:
    """A response for each row, as the plugin of Elasticsearch logs them."""
    with path.open("w") as file:
        for row, values in enumerate(data.X.tolist()):
            logged = [{"name": f"feature_{i}", "value": value} for i, value in enumerate(values)]
            hit = {"_id": docno[row], "fields": {"_ltrlog": [{"main": logged}]}}
            file.write(json.dumps({"qid": str(data.qid[row]), "hits": {"hits": [hit]}}) + "\n")


@pytest.mark.parametrize(("page", "block"), each_block("console"))
def test_the_commands_of_a_block_run_alone(
    page: Path, block: str, files_of_a_user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those after a $, in this process, in a folder with the files of a user; ten minutes are cut to a second."""
    folder = tmp_path / "here"
    shutil.copytree(files_of_a_user, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [*sys.path])  # main adds to it
    commands = [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]
    assert commands
    for line in commands:
        monkeypatch.setattr(sys, "argv", shlex.split(line.replace("--time 10m", "--time 1s")))
        assert sys.argv[0] == "directrank", line
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code, line


def test_json_of_the_docs_is_json() -> None:
    for page in PAGES:
        for block in blocks(page, "json"):
            json.loads(block)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Files exist; addresses elsewhere are of the right form, as no network is needed for tests. Sphinx checks anchors."""
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
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


def test_every_measure_is_in_the_docs() -> None:
    table = (ROOT / "docs" / "measures.md").read_text()
    for name in sorted(directrank.measures.known_names()):
        if Measure.registry[name.lower()].__module__.startswith("directrank."):
            assert re.search(rf"`{name}[`(@]", table), name

"""The README and the docs: their examples run, their figures of doctests hold, their links lead somewhere."""

from __future__ import annotations

import doctest
import importlib
import json
import pkgutil
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

import directrank
from directrank import AdaRank, Measure, Qrels, RankingData, Run, save_model, write_letor, write_qrels, write_run
from directrank.cli import main
from directrank.data import write_scores
from directrank.datasets import make_ranking

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_python_examples_run_and_say_the_truth(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block runs; where a line ends in a comment with a value, that is its value, to the digits shown."""
    monkeypatch.chdir(tmp_path)
    registered = set(Measure.registry)
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec", dont_inherit=True), names)
        for code, shown in re.findall(r"^((?:result|evaluate)[^#\n]*?) +# ([\d{\[].*)$", block, re.MULTILINE):
            compare(eval(code, names), shown)
        for name, shown in re.findall(r"^(\w+) = .*# (RankingData.*)$", block, re.MULTILINE):
            assert repr(names[name]) == shown
    for name in set(Measure.registry) - registered:
        del Measure.registry[name]


def compare(value: object, shown: str) -> None:
    numbers = [float(n) for n in re.findall(r"(?<![@=\w])\d+\.\d+", shown)]
    values = value.values() if isinstance(value, dict) else np.atleast_1d(value)
    assert numbers and len(numbers) <= len(list(values)), shown
    for number, actual in zip(numbers, values, strict=False):
        assert abs(number - actual) < 1e-3, (shown, value)


def run_commands_of(page: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run the commands that a page shows, in this process, and say how many they are."""
    monkeypatch.setattr(sys, "path", [*sys.path])  # main adds to it
    lines = [line for block in blocks(page, "console") for line in block.splitlines()]
    for line in lines:
        monkeypatch.setattr(sys, "argv", shlex.split(line.removeprefix("$ ")))
        assert sys.argv[0] == "directrank"
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code, line
    return len(lines)


def test_commands_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = make_ranking(10, random_state=0)
    for name in ("train", "vali", "test"):
        write_letor(f"{name}.txt", data)
    write_scores("scores.txt", data.X[:, 0])
    qid, docno = ["1", "1", "2", "2", "3", "3", "4", "4"], ["a", "b"] * 4
    write_qrels("qrels.txt", Qrels(qid, docno, [1, 0] * 4))
    for name in ("bm25", "neural"):
        write_run(f"{name}.run", Run(qid, docno, [2.0, 1.0] * 4, name))
    Path("docs.jsonl").write_text('{"id": "a", "text": "a cat"}\n{"id": "b", "text": "a dog"}\n')
    Path("queries.tsv").write_text("1\tcat\n2\tdog\n3\tcats and dogs\n")
    assert run_commands_of(ROOT / "README.md", monkeypatch) >= 5


def test_commands_of_the_serving_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = make_ranking(10, random_state=0)
    qid, docno = data.qid.astype(str), [str(row) for row in range(len(data))]
    write_qrels("qrels.txt", Qrels(qid, docno, data.y))
    for name in ("log.jsonl", "check.jsonl"):
        write_engine_log(Path(name), data, docno)
    Path("app/models").mkdir(parents=True)
    assert run_commands_of(ROOT / "docs" / "serving.md", monkeypatch) >= 15


def test_commands_of_the_comparing_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = make_ranking(10, random_state=0)
    write_letor("test.txt", data)
    write_scores("theirs.txt", data.X[:, 0])
    for name, rounds in (("svm", 1), ("trees", 3)):
        save_model(f"{name}.json", AdaRank("AP", max_rounds=rounds).fit(data.X, data.y, data.qid))
    qid, docno = data.qid.astype(str), [str(row) for row in range(len(data))]
    write_qrels("qrels.txt", Qrels(qid, docno, data.y))
    for feature, name in enumerate(("bm25", "neural", "fused")):
        write_run(f"{name}.run", Run(qid, docno, data.X[:, feature], name))
    Path("docs.jsonl").write_text('{"id": "0", "text": "a cat"}\n')
    Path("queries.tsv").write_text("0\tcat\n")
    assert run_commands_of(ROOT / "docs" / "comparing.md", monkeypatch) >= 4


def write_engine_log(path: Path, data: RankingData, docno: list[str]) -> None:
    """A response for each row, as the plugin of Elasticsearch logs them."""
    with path.open("w") as file:
        for row, values in enumerate(data.X.tolist()):
            logged = [{"name": f"feature_{i}", "value": value} for i, value in enumerate(values)]
            hit = {"_id": docno[row], "fields": {"_ltrlog": [{"main": logged}]}}
            file.write(json.dumps({"qid": str(data.qid[row]), "hits": {"hits": [hit]}}) + "\n")


def test_json_of_the_docs_is_json() -> None:
    for page in PAGES:
        for block in blocks(page, "json"):
            json.loads(block)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
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

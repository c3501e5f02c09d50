"""``directrank report``, and ``--report`` of ``compare`` and ``fuse``: the arguments of `Report.save`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import error_of, run, stderr_of, stdout_of

from directrank import AdaRank, Qrels, Report, Run, save_model, write_parquet, write_qrels, write_run
from directrank.cli.console import report_page as page_module
from directrank.datasets import make_ranking
from directrank.features import Curve

Saved = dict[str, Any]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    qid, docno = np.repeat(np.arange(20), 10).astype(str), np.tile([f"d{i}" for i in range(10)], 20)
    grades = (random.random(200) < 0.4).astype(float)
    write_qrels("qrels", Qrels(qid, docno, grades))
    for name, noise in (("good", 0.3), ("fair", 0.8)):
        write_run(f"{name}.run", Run(qid, docno, grades + noise * random.standard_normal(200), name))
    data = make_ranking(20, (5, 10), random_state=0)
    write_parquet("data.parquet", data)
    for rounds in (1, 5):
        save_model(f"{rounds}.json", AdaRank("AP", n_estimators=rounds).fit(data.X, data.y, data.qid))
    Path("docs.jsonl").write_text('{"id": "d0", "title": "One", "text": "of ten"}\n')
    Path("queries.tsv").write_text("0\tten documents\n")
    Path("topics").write_text("<top><num>0<title>ten<desc>ten documents</top>")
    return tmp_path


@pytest.fixture
def saved(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Saved:
    """Arguments of `Report.save`, which is replaced and writes a single word."""
    given: Saved = {}

    def save(self: Report, path: Path, **content: Any) -> None:
        documents = content.pop("documents", None)
        given.update(content, report=self, documents=None if documents is None else dict(documents))
        Path(path).write_text("page")

    monkeypatch.setattr(Report, "save", save)
    return given


RUNS = ("--qrels", "qrels", "good.run", "fair.run")


def test_a_report_of_runs(saved: Saved) -> None:
    texts = ("--documents", "docs.jsonl", "--query-texts", "queries.tsv")
    arguments = ("report", *RUNS, "-o", "my page.html", *texts, "--title", "Two runs", "--depth", "7", "--baseline", "fair")
    assert stdout_of(*arguments) == "my page.html: 0.0 MB\n"
    assert saved["report"].names == ["good", "fair"] and saved["report"].baseline == "fair"
    assert saved["documents"] == {"d0": "One\nof ten"} and saved["queries"] == {"0": "ten documents"}
    assert saved["title"] == "Two runs" and saved["depth"] == 7 and saved["models"] == {}
    assert shlex.split(saved["command"]) == ["directrank", *arguments]


def test_queries_without_a_text_are_noted(saved: Saved) -> None:
    command = ("report", *RUNS, "-o", "page.html", "--query-texts")
    assert "queries.tsv has no text for 19 of the 20 queries." in stderr_of(*command, "queries.tsv")
    Path("all.tsv").write_text("".join(f"{qid}\ttext\n" for qid in range(20)))
    assert "no text" not in stderr_of(*command, "all.tsv")


def test_topics_and_defaults(saved: Saved) -> None:
    stdout_of("report", *RUNS, "-o", "page.html", "--query-texts", "topics", "--topic-field", "desc")
    assert saved["queries"] == {"0": "ten documents"} and saved["documents"] is None and saved["depth"] == 100


def test_a_report_of_models(saved: Saved) -> None:
    for name, option in (("report", "-o"), ("compare", "--report")):
        stdout_of(name, "data.parquet", "--model", "1.json", "--model", "5.json", option, "page.html")
        assert list(saved["models"]) == saved["report"].names == ["1", "5"]
        assert saved["models"]["1"].n_features == 16 and saved["command"].startswith(f"directrank {name} ")


def test_the_report_of_fused_runs_has_the_learned_curves(saved: Saved) -> None:
    fuse = ("fuse", *RUNS, "-o", "fused.run", "--report", "page.html", "--folds", "2")
    out = stdout_of(*fuse, "--learner", "adarank", "--thresholds", "5")
    assert "AP, against adarank-AP" in out and out.endswith("page.html: 0.0 MB\n")
    (name, curves), (of, model) = *saved["curves"].items(), *saved["models"].items()
    assert name == of == saved["report"].baseline == "adarank-AP"
    assert list(curves) == ["good", "fair"] and all(isinstance(curve, Curve) for curve in curves.values())
    assert sum(curve.thresholds.size for curve in curves.values()) == model.n_features
    assert model.feature_names[0].startswith("good > ")
    assert curves["good"].values[-1] > 0


@pytest.mark.parametrize(
    ("learner", "models"),
    [
        (("adarank", "--thresholds", "0", "--folds", "2"), ["adarank-AP"]),
        (("ensemble-selection", "--thresholds", "0", "--folds", "2"), ["ensemble-selection-AP"]),
        (("rrf",), []),
        (("rankboost", "--folds", "2"), ["rankboost-AP"]),
    ],
)
def test_models_that_are_not_linear_in_thresholds_have_no_curves(
    saved: Saved, learner: tuple[str, ...], models: list[str]
) -> None:
    stdout_of("fuse", *RUNS, "-o", "fused.run", "--report", "page.html", "--learner", *learner)
    assert not saved.get("curves") and list(saved.get("models") or {}) == models


def test_errors_before_any_work(saved: Saved, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "No such file" in error_of("report", *RUNS, "-o", "page.html", "--documents", "none")
    for source in ("good.run", "qrels", "docs.jsonl", "queries.tsv"):
        texts = ("--documents", "docs.jsonl", "--query-texts", "queries.tsv")
        assert "is both an input and the output" in error_of("report", *RUNS, *texts, "-o", source)
    fuse = ("fuse", "good.run", "fair.run", "--learner", "rrf", "-o", "fused.run")
    assert "compares the runs by judgments" in error_of(*fuse, "--report", "page.html")
    assert "is both an input and the output" in error_of(*fuse, "--qrels", "qrels", "--report", "fused.run")
    Path("others").write_text("99 0 d1 1\n")
    ended = run(*fuse, "--qrels", "others", "--report", "page.html")
    assert ended.code == 2 and "directrank: no run has a judged query; leave out --report" in ended.err
    monkeypatch.setattr(page_module, "find_spec", lambda package: None)
    for arguments in (("report", *RUNS, "-o"), ("compare", *RUNS, "--report"), (*fuse, "--qrels", "qrels", "--report")):
        assert error_of(*arguments, "page.html") == (
            "an HTML report needs Altair and vl-convert: pip install 'directrank[report]'"
        )
    assert not saved and not Path("fused.run").exists() and not Path("page.html").exists()

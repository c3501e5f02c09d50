"""``directrank convert`` with logs of search engines: from responses and judgments to data that learners take."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from harness import error_of, stderr_of

from directrank import RankingData, load_model, read_letor, read_parquet


def search(qid: int, values: dict[str, float], log: str = "main") -> str:
    hits = [
        {
            "_id": docno,
            "fields": {
                "_ltrlog": [{log: [{"name": "bm25", "value": v}, {"name": "clicks"} | ({"value": 1} if v > 2 else {})]}]
            },
        }
        for docno, v in values.items()
    ]
    return json.dumps({"qid": qid, "timed_out": False, "_shards": {"failed": 0}, "hits": {"hits": hits}}) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text("1 0 a 2\n1 0 b 0\n1 0 z 1\n2 0 a 0\n2 0 b 1\n")
    first = search(1, {"a": 3.0, "b": 1.0, "c": 0.5}) + search(9, {"a": 1.0})
    (tmp_path / "first.jsonl").write_text(first)
    (tmp_path / "second.json.gz").write_bytes(gzip.compress(search(2, {"a": 1.0, "b": 4.0}).encode()))
    (tmp_path / "solr.csv").write_text('id,qid,fv\na,1,"bm25=3.0,clicks=2.0"\nb,1,bm25=1.0\na,2,bm25=1.5\nb,2,\n')
    return tmp_path


def test_logs_and_judgments_become_data(folder: Path) -> None:
    out = stderr_of(
        "convert", "--qrels", folder / "qrels", folder / "first.jsonl", folder / "second.json.gz", folder / "data.parquet"
    )
    assert out.splitlines()[:4] == [
        "6 hits of 3 queries: 4 judged, 2 not",
        "1 of 3 queries were dropped: they have no judgments (9)",
        "1 of 5 judged documents are not in the log; to log them, filter by their ids and raise size (Solr: rows)",
        "3 of 10 values were not logged; they are NaN, a missing value",
    ]
    data = read_parquet(folder / "data.parquet")
    assert data.feature_names == ["bm25", "clicks"] and data.qid.tolist() == [1, 1, 1, 2, 2]
    assert dict(zip(data.docno.tolist()[:3], data.y.tolist(), strict=False)) == {"a": 2, "b": 0, "c": 0}
    settings = ("--set", "n_estimators=2", "--set", "min_child_samples=1")
    stderr_of("train", folder / "data.parquet", "--learner", "lambdamart", "-m", "nDCG", "-o", folder / "m.json", *settings)
    stderr_of("train", folder / "data.parquet", "-m", "AP", "-o", folder / "m.json")
    assert load_model(folder / "m.json").portable().weights.size > 0


def test_text_keeps_names_and_linear_learners_take_filled_data(folder: Path) -> None:
    sources = (folder / "first.jsonl", folder / "second.json.gz")
    out = stderr_of(
        "convert", "--qrels", folder / "qrels", *sources, folder / "data.txt", "--missing", "0", "--unjudged", "drop"
    )
    assert "2 of 8 values were not logged; they are 0\n" in out and "engines treat" not in out
    data = read_letor(folder / "data.txt")
    assert data.feature_names == ["bm25", "clicks"] and data.X.dtype == np.float32
    assert sorted(zip(data.qid.tolist(), data.docno.tolist(), data.X.tolist(), strict=True)) == [
        (1, "a", [3, 1]),
        (1, "b", [1, 0]),
        (2, "a", [1, 0]),
        (2, "b", [4, 1]),
    ]
    stderr_of("train", folder / "data.txt", "-m", "AP", "-o", folder / "m.json", "--set", "C=1")
    assert "bm25" in (folder / "m.json").read_text()


def test_csv_of_solr(folder: Path) -> None:
    out = stderr_of("convert", "--qrels", folder / "qrels", folder / "solr.csv", folder / "data.txt")
    assert "solr.csv:5: document b of query 2 has no feature at all\n" in out
    assert "4 of 8 values were not logged; they are 0\n" in out and "NaN" not in out
    assert read_letor(folder / "data.txt").X.tolist() == [[3, 2], [1, 0], [1.5, 0], [0, 0]]


def test_logged_nan_is_not_a_missing_value(folder: Path) -> None:
    (folder / "solr.csv").write_text("id,qid,fv\na,1,x=NaN\nb,1,x=1.0\na,2,y=2.0\nb,9,y=NaN\n")
    command = ("convert", "--qrels", folder / "qrels", folder / "solr.csv", folder / "data.parquet")
    out = stderr_of(*command)
    assert "3 of 6 values were not logged; they are 0\n" in out
    assert "1 of 6 values were logged as NaN; they are NaN, a missing value\n" in out
    out = stderr_of(*command, "--missing", "-1")
    assert "3 of 6 values were not logged; they are -1\n1 of 6 values were logged as NaN; they are -1\n" in out
    assert "engines treat a missing feature as 0 or NaN, so an exported model would score these documents differently" in out
    assert "engines treat" not in stderr_of(*command, "--missing", "nan")


def test_a_pipe_needs_the_option_from(folder: Path) -> None:
    command = f"{sys.executable} -m directrank convert --qrels qrels --from log <(cat first.jsonl) data.txt"
    out = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert out.returncode == 0 and "4 hits of 2 queries" in out.stderr, out.stderr
    assert len(read_letor(folder / "data.txt")) == 3


def test_one_of_several_logs(folder: Path) -> None:
    (folder / "other.jsonl").write_text(search(1, {"a": 1.0}, "next"))
    stderr_of("convert", "--qrels", folder / "qrels", folder / "other.jsonl", folder / "x.txt", "--log", "next")
    assert "has no log named 'main', only 'next'" in error_of(
        "convert", "--qrels", folder / "qrels", folder / "other.jsonl", folder / "x.txt", "--log", "main"
    )


def test_errors(folder: Path) -> None:
    log, qrels, target = folder / "first.jsonl", folder / "qrels", folder / "never.txt"
    (folder / "a.run").write_text("1 Q0 a 1 2.5 tag\n")
    assert "a log is joined with judgments; name them with --qrels" in error_of("convert", log, target)
    assert "convert them one kind at a time" in error_of("convert", "--qrels", qrels, log, folder / "a.run", target)
    assert "--missing must be a number, not 'lowest'" in error_of(
        "convert", "--qrels", qrels, log, target, "--missing", "lowest"
    )
    assert "--unjudged must be a number or 'drop'" in error_of("convert", "--qrels", qrels, log, target, "--unjudged", "x")
    assert "--log selects a log of a search engine" in error_of(
        "convert", "--qrels", qrels, folder / "a.run", target, "--log", "x"
    )
    assert "--unjudged must be a number of at least 0" in error_of(
        "convert", "--qrels", qrels, log, target, "--unjudged", "-1"
    )
    assert "a.run:1: expected JSON, or CSV" in error_of(
        "convert", "--qrels", qrels, folder / "a.run", target, "--from", "log"
    )
    assert "first.jsonl: the file holds more than 100 bytes" in error_of(
        "convert", "--qrels", qrels, log, target, "--max-size", "100"
    )
    assert not target.exists()


def test_options_without_effect_are_an_error(folder: Path) -> None:
    (folder / "data.txt").write_text("1 qid:1 1:0.5 # docid = a\n")
    (folder / "scores").write_text("1\n")
    for option, value in (("--unjudged", "drop"), ("--log", "main")):
        assert f"{option} is for joining with --qrels; name the judgments, or leave {option} out" in error_of(
            "convert", folder / "data.txt", folder / "never.parquet", option, value
        )
    assert "--scores is for a run, and" in error_of(
        "convert", folder / "data.txt", folder / "never.parquet", "--scores", folder / "scores"
    )
    assert not (folder / "never.parquet").exists()


def test_outputs_named_like_logs(folder: Path) -> None:
    command = ("convert", "--qrels", folder / "qrels", folder / "first.jsonl")
    for name in ("x.csv", "x.json", "x.jsonl.gz", "x.NDJSON"):
        stderr_of(*command, folder / name)
        assert len(RankingData.read(folder / name)) == 3
    stderr_of(*command, folder / "x.csv", "--to", "letor")
    assert len(read_letor(folder / "x.csv")) == 3


def test_json_of_another_name_is_recognised(folder: Path) -> None:
    log, qrels, target = folder / "first.jsonl", folder / "qrels", folder / "never.txt"
    sentence = "the file looks like JSON; if it is the log of a search engine, join it with judgments by directrank convert"
    assert f"first.jsonl:1: {sentence}" in error_of("convert", "--qrels", qrels, log, target, "--from", "run")
    assert f"first.jsonl:1: {sentence}" in error_of("train", log, "-o", target)
    (folder / "log.txt").write_text("\n\n" + json.dumps(json.loads(search(1, {"a": 1.0})), indent=2))
    assert f"log.txt:3: {sentence}" in error_of("convert", "--qrels", qrels, folder / "log.txt", target)
    assert f"log.txt:3: {sentence}" in error_of("describe", folder / "log.txt")
    assert f"log.txt:3: {sentence}" in error_of("evaluate", "--qrels", qrels, folder / "log.txt")


def test_cheap_checks_come_first(folder: Path) -> None:
    (folder / "first.jsonl").write_text("{broken")
    (folder / "broken.run").write_text("broken")
    (folder / "bad").write_text("1 0\n")
    for source in ("first.jsonl", "broken.run"):
        assert "bad:1: expected 4 column(s)" in error_of(
            "convert", "--qrels", folder / "bad", folder / source, folder / "x.txt"
        )
        assert "to write a run, give its scores with --scores FILE" in error_of(
            "convert", "--qrels", folder / "qrels", folder / source, folder / "x.run"
        )


def test_missing_values_in_validation_data(folder: Path) -> None:
    (folder / "data.txt").write_text("1 qid:1 1:0.5 2:1\n0 qid:1 1:0.1 2:1\n")
    (folder / "vali.txt").write_text("1 qid:1 1:0.5 2:nan\n0 qid:1 1:0.1\n")
    stderr_of("train", folder / "data.txt", "--validate", folder / "vali.txt", "-o", folder / "m.json")

"""Four people with their own files, who follow the README at 80 columns: from what they have to a scored file."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from harness import Ended, run

from directrank import RankingData, load_model, read_run
from directrank.datasets import write_example

Command = Callable[..., Ended]

#: Trees that take a second.
SMALL = ("--set", "num_leaves=7", "--set", "n_estimators=60")


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("example") / "data"
    write_example(folder)
    return folder


@pytest.fixture
def at_80_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """A function that runs a command in a folder of its own, and checks that it ends well and its tables fit 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")

    def command(*arguments: object) -> Ended:
        ended = run(*arguments, folder=tmp_path)
        assert ended.code == 0, ended.err
        assert all(len(line) <= 80 for line in ended.out.splitlines() if line[:1] in "┏┃┡│└"), ended.out
        return ended

    return command


def rows_of(path: Path) -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def write_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_a_search_engineer(example: Path, tmp_path: Path, at_80_columns: Command) -> None:
    """An engine's log in which features are missing, and judgments by the text of the query, as Quepid exports them."""
    text_of = dict(line.split("\t", 1) for line in (example / "queries.tsv").read_text().splitlines())
    with open(tmp_path / "log.jsonl", "w") as file:
        for line in (example / "log.jsonl").read_text().splitlines():
            response = json.loads(line)
            file.write(json.dumps(response | {"qid": text_of[response["qid"]]}) + "\n")
    joined = at_80_columns("convert", "--qrels", example / "judgments.csv", "log.jsonl", "logged.parquet").err
    assert "hits of 360 queries" in joined and "they are NaN, a missing value" in joined
    described = at_80_columns("describe", "logged.parquet").out
    assert "missing values, which all learners take" in described
    at_80_columns("split", "logged.parquet", "--share", "60/20/20", "-o", "parts")
    chosen = at_80_columns(
        *("best", "parts/train.parquet", "-m", "nDCG@10", "--feature", "bm25_body", "--time", "20s"),
        *("--learner", "ranksvm", "--learner", "adarank", "-o", "model.json"),
    )
    assert "bm25_body" in chosen.out and "On new queries, expect nDCG@10 of about 0." in chosen.out
    assert "The model is in model.json." in chosen.out and "was skipped" not in chosen.err
    rankings = ("--model", "model.json", "--feature", "bm25_body")
    answer = at_80_columns("compare", "parts/test.parquet", *rankings, "-m", "nDCG@10")
    assert "difference" in answer.out and "95 % interval" in answer.out
    at_80_columns("train", "parts/train.parquet", "--learner", "svm", "-m", "nDCG@10", "-o", "svm.json")
    at_80_columns("export", "svm.json", "--to", "elasticsearch-ltr", "-o", "plugin.json")
    assert json.loads((tmp_path / "plugin.json").read_text())["model"]["name"] == "svm"


def test_a_researcher(example: Path, tmp_path: Path, at_80_columns: Command) -> None:
    """TREC runs and judgments, scripts that read trec_eval's lines, and a table for a paper."""
    runs = [example / f"{name}.run" for name in ("bm25", "tfidf", "dirichlet")]
    printed = at_80_columns("evaluate", "--qrels", example / "qrels.txt", *runs, "-m", "map").out
    lines = [line.split("\t") for line in printed.splitlines()]
    values = {name: float(value) for (_, _, name), (_, _, value) in zip(lines[::2], lines[1::2], strict=True)}
    assert [line[0].strip() for line in lines] == ["runid", "map"] * 3 and set(values) == {"bm25", "tfidf", "dirichlet"}
    both = at_80_columns("evaluate", "--qrels", example / "qrels.txt", runs[0], "-m", "map,AP,gm_map").out
    assert f"map                   \tall\t{values['bm25']:.4f}\n" in both  # whatever stands beside it
    compared = at_80_columns("compare", "--qrels", example / "qrels.txt", *runs[:2], "-m", "nDCG@10")
    assert "difference" in compared.out and "Letters" in compared.out
    latex = at_80_columns("compare", "--qrels", example / "qrels.txt", *runs, "--latex", "-m", "nDCG@10").out
    assert r"\label{" in latex
    fused = at_80_columns(
        *("fuse", "--qrels", example / "qrels.txt", *runs, "--learner", "ranksvm", "--set", "C=1"),
        *("--thresholds", "0", "--folds", "2", "-o", "fused.run"),
    ).out
    assert "rrf" in fused and "combsum" in fused and len(read_run(tmp_path / "fused.run")) > 0


def test_someone_with_a_table_of_a_competition(example: Path, tmp_path: Path, at_80_columns: Command) -> None:
    """Parquet with texts, dates and lists; rows to score have no labels, and one column more."""
    for name, rating in (("train", "relevance"), ("test", None)):
        table = pa.csv.read_csv(example / f"{name}.csv")
        columns = {("relevance" if column == "rating" else column): table[column] for column in table.column_names}
        columns["id"] = pa.array(range(len(table)))
        columns["brand"] = pa.array([f"brand {row % 3}" for row in range(len(table))])
        columns["tags"] = pa.array([["a", "b"]] * len(table))
        if rating is None:
            del columns["relevance"]
            columns["extra"] = pa.array(np.arange(len(table)) * 1e8)
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    said = at_80_columns("describe", "train.parquet").err
    columns = "label: relevance, query: query, document: docid, 15 features"
    assert said.startswith(f"train.parquet: {columns}; left out: title, id, ")
    at_80_columns("train", "train.parquet", "--categorical", "brand", "--learner", "lambdamart", *SMALL, "-o", "m.json")
    assert "brand" in (load_model(tmp_path / "m.json").feature_names or ())
    predicted = at_80_columns("predict", "m.json", "test.parquet", "-o", "submission.csv", "--keep", "id").err
    assert "left out: title" in predicted and "submission.csv: 3,217 rows with query, document, score, rank, id" in predicted
    rows = rows_of(tmp_path / "submission.csv")
    assert [int(row["id"]) for row in rows] == list(range(len(rows)))
    at_80_columns("predict", "m.json", "test.parquet", "-o", "submission.parquet")
    written = pq.read_table(tmp_path / "submission.parquet")
    assert written["score"].to_pylist() == [float(row["score"]) for row in rows]
    assert str(load_model(tmp_path / "m.json")).count("\n") == 1


def test_a_student(tmp_path: Path, at_80_columns: Command) -> None:
    """The commands that the command itself suggests, one after another, from nothing to a ranking."""
    first = at_80_columns("example", "data").out
    suggested = [line.split() for line in first.partition("Next:")[2].splitlines() if line.strip().startswith("directrank")]
    assert [words[1] for words in suggested][:3] == ["evaluate", "describe", "best"]
    for _, command, *arguments in suggested:
        faster = [re.sub("^1m$", "3s", word) for word in arguments]
        faster += SMALL if command == "train" else ()
        at_80_columns(command, *faster)
    trained = at_80_columns("train", "data/train.csv", "--learner", "ranksvm", "--set", "C=1", "-o", "model.json").out
    following = [line.split() for line in trained.splitlines() if line.strip().startswith("directrank predict")]
    (_, *predict) = following[0]
    at_80_columns(*[word.replace("new.csv", "data/new.csv") for word in predict])
    scores = rows_of(tmp_path / "scores.csv")
    assert len(scores) == len(RankingData.read(tmp_path / "data" / "new.csv"))
    assert {row["rank"] for row in scores} >= {"1", "2", "3"}

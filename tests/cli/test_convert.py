"""``directrank convert``: between formats, and runs joined with judgments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from harness import error_of, run, stderr_of, stdout_of

from directrank import read_letor, read_parquet, read_qrels, read_run


def test_convert_round_trip(letor: Path) -> None:
    stdout_of("convert", letor / "data.txt", letor / "data.parquet")
    stdout_of("convert", letor / "data.parquet", letor / "again.txt.gz")
    a, b = read_letor(letor / "data.txt"), read_letor(letor / "again.txt.gz")
    assert np.array_equal(a.X, b.X) and a.qid.tolist() == b.qid.tolist() and a.docno.tolist() == b.docno.tolist()
    assert read_parquet(letor / "data.parquet").feature_names == ["f1", "f2"]


def test_convert_runs_to_data_and_data_to_a_run(runs: Path, letor: Path) -> None:
    stdout_of(
        "convert", "--qrels", runs / "qrels", runs / "one.run", runs / "two.run.gz", runs / "joined.txt", "--missing", "-1"
    )
    joined = read_letor(runs / "joined.txt")
    assert joined.feature_names == ["one", "two"] and joined.X.tolist() == [[2, 2], [1, 2], [1, -1], [2, -1]]
    stdout_of("convert", letor / "data.txt", "--scores", letor / "scores", letor / "out.run")
    assert read_run(letor / "out.run").docno.tolist() == ["b", "a", "c"]
    stdout_of("convert", letor / "data.txt", letor / "judged", "--to", "qrels")
    assert read_qrels(letor / "judged").grade.tolist() == [1, 0, 2]


def test_queries_without_judgments_are_noted(runs: Path) -> None:
    (runs / "more.run").write_text((runs / "one.run").read_text() + "01 Q0 a 1 2 one\n")
    said = stderr_of("convert", "--qrels", runs / "qrels", runs / "more.run", runs / "joined.txt")
    assert "1 of 3 queries were dropped: they have no judgments (01)" in said
    assert "dropped" not in stderr_of("convert", "--qrels", runs / "qrels", runs / "one.run", runs / "joined.txt")


def test_bad_input_to_convert(runs: Path, letor: Path) -> None:
    assert "scores has no queries, and" in error_of("convert", letor / "data.txt", letor / "scores", letor / "x")
    assert "several runs are joined with judgments" in error_of(
        "convert", runs / "one.run", runs / "two.run.gz", runs / "x.csv"
    )
    assert "choose another output file" in error_of("convert", letor / "data.txt", letor / "data.txt")
    assert "give its scores with --scores" in error_of("convert", letor / "data.txt", letor / "x.run")
    assert "--missing must be a number or 'lowest', not 'high'" in error_of(
        "convert", "--qrels", runs / "qrels", runs / "one.run", runs / "x.txt", "--missing", "high"
    )
    assert "choose another output file" in error_of("convert", "--qrels", runs / "qrels", runs / "one.run", runs / "qrels")
    assert "Parquet files are compressed already" in error_of("convert", letor / "data.txt", letor / "x.parquet.gz")
    assert "No space left" in error_of("convert", letor / "data.txt", "/dev/full")
    before = sorted(letor.iterdir())
    (letor / "bad.txt").write_text("x\n")
    error_of("convert", letor / "bad.txt", letor / "out.txt")
    assert sorted(letor.iterdir()) == sorted([*before, letor / "bad.txt"])


def test_missing_values_become_numbers(tmp_path: Path) -> None:
    (tmp_path / "gaps.txt").write_text("1 qid:1 1:nan 2:0.5\n0 qid:1 1:2 2:nan\n")
    ended = run("convert", tmp_path / "gaps.txt", tmp_path / "same.txt")
    assert ended.code == 0 and "2 missing values are written as nan, which RankLib rejects" in ended.err
    ended = run("convert", tmp_path / "gaps.txt", tmp_path / "filled.txt", "--missing", "0")
    assert ended.code == 0 and "2 of 4 values were missing; they are 0" in ended.err and "RankLib" not in ended.err
    assert (tmp_path / "filled.txt").read_text() == "1 qid:1 1:0.0 2:0.5\n0 qid:1 1:2.0 2:0.0\n"
    (tmp_path / "sparse.txt").write_text("1 qid:1 1:nan 5000:0.5\n0 qid:1 7:2\n")
    assert run("convert", tmp_path / "sparse.txt", tmp_path / "filled.txt", "--missing", "-1").code == 0
    assert "1 qid:1 1:-1.0 5000:0.5\n0 qid:1 7:2.0\n" in (tmp_path / "filled.txt").read_text()

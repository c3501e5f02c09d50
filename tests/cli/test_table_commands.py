"""Tables in every command that takes data: columns by name and by option, several files, scores out, judgments in."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from harness import error_of, run, stderr_of, stdout_of

from directrank import RankingData, load_model, read_qrels
from directrank.data import read_scores

QUERIES = [f"red shoes, size {i}" for i in range(12)]


def write(path: Path, seed: int, without: tuple[str, ...] = ()) -> None:
    """A shop's table: text queries, a title, missing values, large numbers, categories."""
    rng = np.random.default_rng(seed)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        names = ["query", "docid", "title", "rating", "bm25", "price", "brand"]
        kept = [j for j, name in enumerate(names) if name not in without]
        writer.writerow([names[j] for j in kept])
        for query in QUERIES:
            for document in range(10):
                bm25, price = rng.random(), rng.random() * 1e8
                grade = int(2 * bm25 + price / 1e8 + rng.random() > 2) + int(bm25 > 0.9)
                row = [query, f"{document:03}", f'"{query}" {document}', grade, bm25, price, "abc"[document % 3]]
                row[4] = "" if rng.random() < 0.1 else row[4]
                writer.writerow([row[j] for j in kept])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    write(folder / "train.csv", 0)
    write(folder / "test.csv", 1)
    write(folder / "new.csv", 1, without=("rating",))
    stdout_of("train", "train.csv", "--learner", "lambdamart", "-m", "nDCG@10", "-o", "m.json", folder=folder)
    return folder


def rows_of(path: Path) -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_columns_are_said_in_one_line(folder: Path) -> None:
    said = stderr_of("describe", "train.csv", folder=folder)
    assert said == "train.csv: label: rating, query: query, document: docid, 2 features; left out: title, brand\n"
    options = ("--categorical", "brand", "--ignore", "title", "--query", "docid")
    said = stderr_of("describe", "train.csv", *options, folder=folder)
    assert said == "train.csv: label: rating, query: docid, 3 features with categories in brand; left out: query\n"
    assert load_model(folder / "m.json").feature_names == ("bm25", "price")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--label", "ratings"], "train.csv: there is no column 'ratings'; did you mean 'rating'?"),
        (["--features", "bm25,brand"], "train.csv: column 'brand' holds string, not numbers; leave it out, or name it as"),
        (["--features", "bm25,"], "--features bm25,: there is an empty name; separate names by commas"),
        (["--ignore", "rating"], "train.csv has no labels: no column has the name of a label (label, grade, "),
        (["--query", "title", "--doc", "title"], "train.csv: the column 'title' has two roles"),
        (["--weight", "nothing"], "train.csv: there is no column 'nothing'"),
    ],
)
def test_options_that_do_not_fit(folder: Path, options: list[str], sentence: str) -> None:
    assert sentence in run("train", "train.csv", *options, "-o", "never.json", folder=folder).err
    assert not (folder / "never.json").exists()


def test_scores_of_rows_without_labels(folder: Path) -> None:
    assert "s.csv: 120 rows with query, document, score, rank, title\n" in stderr_of(
        "predict", "m.json", "new.csv", "-o", "s.csv", "--keep", "title", folder=folder
    )
    rows = rows_of(folder / "s.csv")
    data = RankingData.read(folder / "test.csv")
    expected = load_model(folder / "m.json").predict(data.X)
    assert [float(row["score"]) for row in rows] == expected.tolist()
    assert [row["query"] for row in rows] == data.qid.tolist() and rows[0]["document"] == "000"
    assert [row["title"] for row in rows[:2]] == ['"red shoes, size 0" 0', '"red shoes, size 0" 1']
    first = sorted((row for row in rows if row["query"] == QUERIES[0]), key=lambda row: int(row["rank"]))
    assert [float(row["score"]) for row in first] == sorted((float(row["score"]) for row in first), reverse=True)
    stderr_of("predict", "m.json", "test.csv", "-o", "s.parquet", folder=folder)
    assert pq.read_table(folder / "s.parquet").column_names == ["query", "document", "score", "rank"]
    np.testing.assert_array_equal(read_scores(folder / "s.parquet", data), expected)
    lines = stdout_of("predict", "m.json", "new.csv", "-o", "-", folder=folder).split()
    assert lines == [repr(score) for score in expected.tolist()]


def test_columns_that_the_model_does_not_know_are_said_once(folder: Path) -> None:
    said = stderr_of("predict", "m.json", "test.csv", "-o", "s.csv", folder=folder)
    assert (
        said.splitlines()[0] == ("test.csv: query: query, document: docid, 2 features; left out: title, rating, brand")
        and len(said.splitlines()) == 2
    )


def test_data_that_cannot_be_scored(folder: Path) -> None:
    write(folder / "less.csv", 1, without=("bm25",))
    predict = ("predict", "m.json")
    assert "less.csv: there is no column 'bm25'; the other columns are query, docid" in error_of(
        *predict, "less.csv", "-o", "never.csv", folder=folder
    )
    assert "the query 'red shoes, size 0' cannot be written to a TREC file: it is empty or has a space in it; write a" in (
        run(*predict, "new.csv", "-o", "never.run", folder=folder).err
    )
    assert "never.txt: columns are kept in a table; name it .csv or .parquet" in error_of(
        *predict, "new.csv", "-o", "never.txt", "--keep", "title", folder=folder
    )
    assert "there is no column 'colour'" in error_of(
        *predict, "new.csv", "-o", "never.csv", "--keep", "colour", folder=folder
    )
    assert not list(folder.glob("never*"))


def test_several_files_and_standard_input(folder: Path) -> None:
    assert '"documents": 240' in stdout_of("convert", "train.csv", "test.csv", "both.parquet", "--json", folder=folder)
    command = [sys.executable, "-m", "directrank", "convert", "-", "piped.jsonl", "--json"]
    with open(folder / "train.csv") as file:
        done = subprocess.run(command, cwd=folder, stdin=file, capture_output=True, text=True, check=True, timeout=300)
    assert '"documents": 120' in done.stdout and len(RankingData.read(folder / "piped.jsonl")) == 120
    assert done.stderr.startswith("standard input: label: rating, query: query")


def test_categories_go_into_the_model(folder: Path) -> None:
    train = ("train", "train.csv", "--categorical", "brand", "-m", "nDCG@10")
    stdout_of(*train, "--learner", "lambdamart", "-o", "c.json", folder=folder)
    assert load_model(folder / "c.json").categories == {"brand": ["a", "b", "c"]}
    stderr_of("predict", "c.json", "new.csv", "-o", "c.csv", folder=folder)
    data = RankingData.read(folder / "test.csv", categorical=["brand"])
    expected = load_model(folder / "c.json").predict(data.features)
    assert [float(row["score"]) for row in rows_of(folder / "c.csv")] == expected.tolist()
    both = ("--model", "c.json", "--model", "m.json")
    assert "nDCG@10" in stdout_of("evaluate", "test.csv", *both, "-m", "nDCG@10", folder=folder)
    said = run(*train, "--learner", "ranksvm", "-o", "never.json", folder=folder).err
    assert "column 'brand' of X holds categories, which only LambdaMART takes" in said


def test_weights_of_queries(folder: Path) -> None:
    rows = rows_of(folder / "train.csv")
    with open(folder / "weighted.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0], "importance"])
        writer.writeheader()
        writer.writerows({**row, "importance": 5 if row["query"] == QUERIES[0] else 1} for row in rows)
    train = ("train", "weighted.csv", "--learner", "lambdamart", "-m", "nDCG@10")
    stdout_of(*train, "--weight", "importance", "-o", "w.json", folder=folder)
    assert load_model(folder / "w.json").feature_names == ("bm25", "price")
    test = RankingData.read(folder / "test.csv")
    plain, weighted = (load_model(folder / name).predict(test.X) for name in ("m.json", "w.json"))
    assert not np.array_equal(plain, weighted)


def test_judgments_as_a_table_join_with_features(folder: Path) -> None:
    rows = rows_of(folder / "test.csv")
    with open(folder / "judgments.csv", "w", newline="") as file:  # as Quepid exports them
        writer = csv.writer(file)
        writer.writerow(["query", "docid", "rating"])
        writer.writerows([row["query"], row["docid"], row["rating"]] for row in rows if row["query"] != QUERIES[0])
    said = stderr_of("convert", "--qrels", "judgments.csv", "new.csv", "joined.parquet", folder=folder)
    assert "120 rows of 12 queries: 110 judged, 10 not" in said and "1 of 12 queries were dropped: they have no" in said
    joined, test = RankingData.read(folder / "joined.parquet"), RankingData.read(folder / "test.csv")
    assert joined.y.tolist() == test.y.tolist()[10:] and joined.docno.tolist() == test.docno.tolist()[10:]
    stderr_of("convert", "judgments.csv", "again.parquet", folder=folder)
    ours, theirs = read_qrels(folder / "again.parquet"), read_qrels(folder / "judgments.csv")
    assert ours.qid.tolist() == theirs.qid.tolist() and ours.grade.tolist() == theirs.grade.tolist()
    stderr_of("convert", "--qrels", "judgments.csv", "test.csv", "joined.csv", folder=folder)
    again = RankingData.read(folder / "joined.csv")
    assert (
        again.feature_names == joined.feature_names and again.y.tolist() == joined.y.tolist()
    )  # the old label is no feature


def test_runs_and_judgments_between_formats(runs: Path) -> None:
    stderr_of("convert", "one.run", "one.csv", folder=runs)
    assert rows_of(runs / "one.csv")[0] == {"query": "1", "docid": "a", "score": "2"}
    stderr_of("convert", "one.csv", "again.run", folder=runs)
    stderr_of("convert", "--from", "qrels", "qrels", "judged.csv", folder=runs)
    stderr_of("convert", "judged.csv", "judged.qrels", folder=runs)
    plain = stdout_of("evaluate", "--qrels", "qrels", "one.run", "-m", "AP", "--json", folder=runs)
    tables = stdout_of("evaluate", "--qrels", "judged.csv", "again.run", "-m", "AP", "--json", folder=runs)
    assert plain.replace('"one"', '"again"').split("means")[1] == tables.split("means")[1]
    assert "holds a run without features; write it as a table" in error_of("convert", "one.run", "x.txt", folder=runs)


def test_splits_have_the_format_of_the_data(folder: Path) -> None:
    stdout_of("split", "train.csv", "--share", "50/25/25", "-o", "parts", folder=folder)
    assert sorted(path.name for path in (folder / "parts").iterdir()) == ["test.csv", "train.csv", "vali.csv"]
    parts = [RankingData.read(folder / "parts" / f"{name}.csv") for name in ("train", "vali", "test")]
    assert sum(map(len, parts)) == 120 and sorted({*(q for part in parts for q in part.qid.tolist())}) == sorted(QUERIES)

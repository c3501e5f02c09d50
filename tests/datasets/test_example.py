"""The example: small, real, the same each time, in files that other software reads."""

from __future__ import annotations

import csv
import filecmp
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import directrank
from directrank import InputError, RankingData, evaluate_run, join_log, read_engine_log, read_parquet, read_qrels, read_run
from directrank.data import read_documents, read_queries
from directrank.datasets import EXAMPLE_FILES, write_example
from directrank.datasets.docstring_features import FEATURES, SCORES, Document, index_fields
from directrank.datasets.example import title_of
from directrank.datasets.simulated_clicks import simulated_impressions
from directrank.retrieval import BM25, Retriever

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("example") / "data"
    write_example(path)
    return path


def rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(newline="") as file:
        yield from csv.DictReader(file)


def test_files_are_few_and_small(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == set(EXAMPLE_FILES)
    assert all(path.stat().st_size < 4e6 for path in folder.iterdir())
    readme = (folder / "README.txt").read_text().splitlines()
    assert [line.split()[0] for line in readme] == list(EXAMPLE_FILES)


def test_another_process_writes_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    """Though it hashes text in another way, and has no optional packages."""
    code = """
import sys
class WithoutExtras:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pandas", "dask", "pytest", "torch"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, WithoutExtras())
from directrank.datasets import write_example
write_example("again")
"""
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    command = [sys.executable, "-W", "ignore", "-c", code]
    subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, cwd=tmp_path, check=True, timeout=300)
    same, *different = filecmp.cmpfiles(folder, tmp_path / "again", list(EXAMPLE_FILES), shallow=False)
    assert different == [[], []] and set(same) == set(EXAMPLE_FILES)


def test_judgments_are_the_same_in_both_formats(folder: Path) -> None:
    queries, qrels = read_queries(folder / "queries.tsv"), read_qrels(folder / "qrels.txt")
    trec = {
        (queries[qid], docno, int(grade))
        for qid, docno, grade in zip(qrels.qid.tolist(), qrels.docno.tolist(), qrels.grade.tolist(), strict=True)
    }
    quepid = [(row["query"], row["docid"], int(row["rating"])) for row in rows(folder / "judgments.csv")]
    assert len(quepid) == len(trec) > 1000 and set(quepid) == trec
    documents = {document.docno for document in read_documents(folder / "docs.jsonl")}
    assert {docno for _, docno, _ in trec} <= documents and len(documents) > 900


@pytest.mark.parametrize("name", ["train", "test"])
def test_csv_and_parquet_hold_the_same_rows(folder: Path, name: str) -> None:
    queries, data = read_queries(folder / "queries.tsv"), read_parquet(folder / f"{name}.parquet")
    table = list(rows(folder / f"{name}.csv"))
    assert list(table[0]) == ["query", "docid", "title", "rating", *FEATURES] and data.feature_names == list(FEATURES)
    assert data.qid is not None and data.docno is not None
    assert [row["query"] for row in table] == [queries[qid] for qid in data.qid.tolist()]
    assert [row["docid"] for row in table] == data.docno.tolist()
    assert [float(row["rating"]) for row in table] == data.y.tolist()
    values = [[float(row[feature] or "nan") for feature in FEATURES] for row in table]
    np.testing.assert_array_equal(values, data.X)
    missing = np.isnan(data.X).any(axis=0)
    assert missing[: len(SCORES)].all() and not missing[len(SCORES) :].any()
    assert np.nanmax(data.X) > 10_000  # nobody has scaled it


def test_sets_of_queries_are_disjoint_and_new_ones_have_no_ratings(folder: Path) -> None:
    parts = [{row["query"] for row in rows(folder / f"{name}.csv")} for name in ("train", "test", "new")]
    assert [len(part) for part in parts] == [240, 120, 40] and len(set.union(*parts)) == 400
    assert list(next(rows(folder / "new.csv"))) == ["query", "docid", "title", *FEATURES]
    judged = {row["query"] for row in rows(folder / "judgments.csv")}
    assert judged == parts[0] | parts[1]


def test_runs_are_of_different_quality(folder: Path) -> None:
    qrels = read_qrels(folder / "qrels.txt")
    values = [evaluate_run(read_run(folder / f"{name}.run"), qrels, "AP")["AP"] for name in ("bm25", "tfidf", "dirichlet")]
    assert len({round(value, 3) for value in values}) == 3 and all(0.4 < value < 0.7 for value in values)


def test_the_log_has_the_features_of_the_tables(folder: Path) -> None:
    logged = join_log(read_engine_log(folder / "log.jsonl"), read_qrels(folder / "qrels.txt"))
    expected = {
        key: values for name in ("train", "test") for key, values in by_pair(read_parquet(folder / f"{name}.parquet"))
    }
    found = dict(by_pair(logged.with_features(FEATURES)))
    assert len(found) == 3600 and logged.n_queries == 360
    for pair, values in found.items():
        np.testing.assert_array_equal(values, expected[pair].astype(np.float32))


def by_pair(data: RankingData) -> list[tuple[tuple[str, str], np.ndarray]]:
    assert data.qid is not None and data.docno is not None
    return list(zip(zip(data.qid.tolist(), data.docno.tolist(), strict=True), data.X, strict=True))


def test_clicks_follow_the_model(folder: Path) -> None:
    ratings = {(row["query"], row["docid"]): int(row["rating"]) for row in rows(folder / "judgments.csv")}
    shown = [
        (int(row["position"]), ratings.get((row["query"], row["docid"]), 0), int(row["click"]))
        for row in rows(folder / "clicks.csv")
    ]
    for position in (1, 5):
        for rating in (0, 1, 2):
            clicks = [click for place, grade, click in shown if (place, grade) == (position, rating)]
            expected = (0.1 + 0.8 * (2**rating - 1) / 3) / position
            assert abs(np.mean(clicks) - expected) < 4 * (expected * (1 - expected) / len(clicks)) ** 0.5


def test_sessions_show_whole_rankings() -> None:
    rankers = {"one": {"a": ["x", "y"], "b": ["z"]}, "two": {"b": ["z"], "a": ["y", "x"]}}
    found = simulated_impressions(rankers, {("a", "y"): 1.0}, 50, random_state=3)
    for session in range(1, 51):
        mine = [each for each in found if each.session == session]
        (ranker,), (qid,) = ({getattr(each, name) for each in mine} for name in ("ranker", "qid"))
        assert [each.docno for each in mine] == rankers[ranker][qid]
        assert [each.position for each in mine] == list(range(1, len(mine) + 1))
    assert {each.ranker for each in found} == {"one", "two"}
    assert found == simulated_impressions(rankers, {("a", "y"): 1.0}, 50, random_state=3)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("sklearn.linear_model.RidgeCV", "sklearn linear model ridge cv"),
        ("numpy.linalg.LinAlgError", "numpy linalg lin alg error"),
        ("scipy.fft.fft2", "scipy fft fft 2"),
        ("numpy.DataSource", "numpy data source"),
    ],
)
def test_titles_are_the_words_of_a_name(name: str, title: str) -> None:
    assert title_of(name) == title


def test_sections_are_fields() -> None:
    text = "Sort.\n\nParameters\n----------\na : array to order\n\nNotes\n-----\nIt is stable.\n"
    indexes = index_fields({"a": Document("numpy sort", text), "b": Document("numpy none", "Nothing.")})
    assert (Retriever(indexes["notes"], BM25(idf="lucene")).scores("stable sort") > 0).tolist() == [True, False]
    assert indexes["notes"].frequency("array") == 0 and indexes["parameters"].frequency("arrai") == 1
    assert indexes["pairs"].frequency("to order") == 1 and indexes["exact"].frequency("array") == 1
    assert indexes["title"].lengths.tolist() == [2, 1]  # "none" is a stop word


def test_only_an_example_is_replaced(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"holds other files, such as notes\.txt; name a new folder"):
        write_example(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    assert directrank.datasets.write_example is write_example

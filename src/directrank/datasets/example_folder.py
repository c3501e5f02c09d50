"""The example as a folder of files, in the formats that people have."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..data import InputError, RankingData, write_parquet, write_qrels, write_run
from ..data.io.files import PathLike
from ..data.io.folders import check_replaceable, replacing_folder
from .example import Example, make_example

#: Hits of a query in the log of the search engine.
LOGGED = 10

#: The files, and what each holds.
EXAMPLE_FILES = {
    "README.txt": "this list",
    "docs.jsonl": "documents: docstrings of NumPy, SciPy and scikit-learn",
    "queries.tsv": "judged queries: summary lines of functions",
    "qrels.txt": "TREC judgments: 2 for the function itself, 1 for its See Also",
    "judgments.csv": "the same by the text of the query, as Quepid exports them",
    "bm25.run": "TREC run of BM25: 50 documents for each judged query",
    "tfidf.run": "TREC run of TF-IDF",
    "dirichlet.run": "TREC run of a language model with Dirichlet smoothing",
    "train.csv": "query, docid, title, rating, 15 raw features, some missing",
    "test.csv": "the same for other queries",
    "new.csv": "the same without ratings, for queries that nobody judged",
    "train.parquet": "the rows of train.csv: label, qid, docno, features",
    "test.parquet": "the rows of test.csv",
    "log.jsonl": "responses of Elasticsearch with the features it logged",
    "clicks.csv": "simulated clicks on two rankers; rank k is seen 1/k of the time",
}


def write_example(directory: PathLike) -> None:
    """Write a small real data set: docstrings of NumPy, SciPy and scikit-learn, in the files that people have.

    The files depend only on the versions of these packages; `directrank.datasets.EXAMPLE_FILES` lists them.

    Parameters
    ----------
    directory : path
        Must not exist, or hold nothing but an earlier example, which is replaced. Either all files are written or none.
    """
    check_example_folder(directory)
    save_example(directory, make_example())


def check_example_folder(directory: PathLike) -> None:
    """Check that a folder can be created, or holds nothing but files of an example."""
    check_replaceable(directory)
    others = sorted(set(os.listdir(directory)) - EXAMPLE_FILES.keys()) if os.path.isdir(directory) else []
    if others:
        raise InputError(f"{directory} holds other files, such as {others[0]}; name a new folder")


def save_example(directory: PathLike, example: Example) -> None:
    """Write an example into a folder: either all files are written or none."""
    with replacing_folder(directory, lambda: check_example_folder(directory), is_part=EXAMPLE_FILES.__contains__) as folder:
        _write_lines(folder / "README.txt", readme_lines())
        _write_json_lines(folder / "docs.jsonl", _documents(example))
        _write_lines(folder / "queries.tsv", (f"{qid}\t{text}" for qid, text in _judged_queries(example).items()))
        write_qrels(folder / "qrels.txt", example.qrels)
        _write_csv(folder / "judgments.csv", _judgments(example))
        for run in example.runs:
            write_run(folder / f"{run.name}.run", run)
        for name in ("train", "test", "new"):
            _write_csv(folder / f"{name}.csv", _rows(example, getattr(example, name), with_rating=name != "new"))
        write_parquet(folder / "train.parquet", example.train)
        write_parquet(folder / "test.parquet", example.test)
        _write_json_lines(folder / "log.jsonl", _responses(example))
        _write_csv(folder / "clicks.csv", _impressions(example))


def readme_lines() -> Iterator[str]:
    """A line for each file."""
    width = max(map(len, EXAMPLE_FILES))
    return (f"{name:{width}}  {content}" for name, content in EXAMPLE_FILES.items())


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())


def _write_json_lines(path: Path, values: Iterable[object]) -> None:
    _write_lines(path, (json.dumps(value, ensure_ascii=False) for value in values))


def _write_csv(path: Path, rows: Iterable[Sequence[object]]) -> None:
    """Write rows, the header first; None is an empty cell."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    path.write_bytes(text.getvalue().encode())


def _documents(example: Example) -> Iterator[dict[str, str]]:
    return ({"id": docno, **document._asdict()} for docno, document in example.documents.items())


def _judged_queries(example: Example) -> dict[str, str]:
    judged = set(example.qrels.qid.tolist())
    return {qid: text for qid, text in example.queries.items() if qid in judged}


def _judgments(example: Example) -> Iterator[Sequence[object]]:
    yield "query", "docid", "rating"
    judged = zip(*(part.tolist() for part in (example.qrels.qid, example.qrels.docno, example.qrels.grade)), strict=True)
    for qid, docno, grade in judged:
        yield example.queries[qid], docno, int(grade)


def _rows(example: Example, data: RankingData, *, with_rating: bool) -> Iterator[Sequence[object]]:
    """Ranking data with the texts of queries and the titles of documents."""
    rating = ["rating"] if with_rating else []
    yield ["query", "docid", "title", *rating, *(data.feature_names or ())]
    for qid, docno, grade, values in _by_row(data):
        grades = [int(grade)] if with_rating else []
        yield [example.queries[qid], docno, example.documents[docno].title, *grades, *map(_number, values)]


def _by_row(data: RankingData) -> Iterator[tuple[str, str, float, list[float]]]:
    assert data.qid is not None and data.docno is not None
    return zip(data.qid.tolist(), data.docno.tolist(), data.y.tolist(), data.X.tolist(), strict=True)


def _number(value: float) -> float | int | None:
    """A value without a needless ".0"; None if it is missing."""
    if np.isnan(value):
        return None
    return int(value) if value.is_integer() else value


def _responses(example: Example) -> Iterator[dict[str, Any]]:
    """A search response for each judged query: the top of the first run, with the features of each hit."""
    names = example.train.feature_names or ()
    rows = {(qid, docno): values for data in (example.train, example.test) for qid, docno, _, values in _by_row(data)}
    hits: dict[str, list[dict[str, Any]]] = {}
    run = example.runs[0]
    for qid, docno, score in zip(run.qid.tolist(), run.docno.tolist(), run.score.tolist(), strict=True):
        found = hits.setdefault(qid, [])
        if (qid, docno) in rows and len(found) < LOGGED:
            logged = [_feature(*pair) for pair in zip(names, rows[qid, docno], strict=True)]
            found.append({"_id": docno, "_score": score, "fields": {"_ltrlog": [{"main": logged}]}})
    for qid, listed in hits.items():
        yield {"qid": qid, "timed_out": False, "hits": {"hits": listed}}


def _feature(name: str, value: float) -> dict[str, Any]:
    """A feature in the log of Elasticsearch's plugin, which leaves out the value where nothing matched."""
    number = _number(value)
    return {"name": name} if number is None else {"name": name, "value": number}


def _impressions(example: Example) -> Iterator[Sequence[object]]:
    yield "session", "query", "position", "docid", "click", "ranker"
    for session, qid, position, docno, click, ranker in example.clicks:
        yield session, example.queries[qid], position, docno, click, ranker

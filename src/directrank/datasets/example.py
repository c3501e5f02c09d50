"""A small real data set, made from docstrings: texts, judgments, runs, features and clicks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import Qrels, RankingData, Run
from ..retrieval import TFIDF, Dirichlet, Retriever, TextIndex, pool
from .docstring_collection import Collection, docstrings
from .docstring_features import ENGINE_BM25, Document, docstring_features
from .simulated_clicks import Impression, simulated_impressions

#: Number of queries. Of ten, six are for training, three for testing, and one has no judgments.
N_QUERIES = 400

#: Texts of queries: sentences of up to 80 characters; the summary of some functions is their signature.
_SENTENCE = re.compile(r"(?!\w+\().{15,80}")

#: The functions of the runs.
FUNCTIONS = (ENGINE_BM25, TFIDF(), Dirichlet())

#: Documents of a query in each run; those of its top for which there are features.
RUN_DEPTH, POOL_DEPTH = 50, 20

#: Sessions of the click log, and documents that each shows.
N_SESSIONS, SHOWN = 4000, 10

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


@dataclass(frozen=True)
class Example:
    """A small data set.

    Attributes
    ----------
    documents : dict of docno to Document
    queries : dict of qid to text
        All texts differ.
    qrels : Qrels
        Judgments of the queries of `train` and `test`.
    runs : list of Run
        Of the same queries.
    train, test, new : RankingData
        Features for three sets of queries.
    clicks : list of Impression
    """

    documents: Mapping[str, Document]
    queries: Mapping[str, str]
    qrels: Qrels
    runs: list[Run]
    train: RankingData
    test: RankingData
    new: RankingData
    clicks: list[Impression]


def make_example() -> Example:
    """Make the data set from the docstrings of NumPy, SciPy and scikit-learn; it depends on their versions only."""
    collection = _sampled(docstrings())
    documents = {docno: Document(title_of(docno), text) for docno, text in collection.documents.items()}
    qids = np.array(list(collection.queries))
    is_new = np.arange(qids.size) % 10 == 9
    is_test = np.arange(qids.size) % 10 % 3 == 1
    qrels = _of_queries(collection.qrels, qids[~is_new])
    index = TextIndex.build((docno, document._asdict()) for docno, document in documents.items())
    judged = {qid: collection.queries[qid] for qid in qids[~is_new].tolist()}
    runs = [Retriever(index, function).search(judged, RUN_DEPTH) for function in FUNCTIONS]
    found = pool([index], collection.queries, collection.qrels, depth=POOL_DEPTH, functions=FUNCTIONS)
    data = docstring_features(documents, collection.queries, found)
    train, test, new = (_rows(data, qids[part]) for part in (~is_test & ~is_new, is_test, is_new))
    clicks = _clicks({"bm25": runs[0], "tfidf": runs[1]}, qrels)
    return Example(documents, collection.queries, qrels, runs, train, test, new, clicks)


def title_of(docno: str) -> str:
    """The words of a dotted name: "sklearn linear model ridge cv" of "sklearn.linear_model.RidgeCV"."""
    return " ".join(_WORD.findall(docno)).lower()


def _sampled(collection: Collection) -> Collection:
    """Queries spread over all modules, numbered, with the documents that are relevant to any of them."""
    name_of = {text: qid for qid, text in reversed(collection.queries.items()) if _SENTENCE.fullmatch(text)}
    names = sorted(name_of.values())
    chosen = [names[i * len(names) // N_QUERIES] for i in range(N_QUERIES)]
    qrels = _of_queries(collection.qrels, chosen)
    number = {name: f"q{i:03}" for i, name in enumerate(chosen, 1)}
    relevant = set(qrels.docno.tolist())
    return Collection(
        {docno: text for docno, text in collection.documents.items() if docno in relevant},
        {number[name]: collection.queries[name] for name in chosen},
        Qrels([number[name] for name in qrels.qid.tolist()], qrels.docno, qrels.grade),
    )


def _of_queries(qrels: Qrels, qids: Any) -> Qrels:
    kept = np.isin(qrels.qid, qids)
    return Qrels(qrels.qid[kept], qrels.docno[kept], qrels.grade[kept])


def _rows(data: RankingData, qids: NDArray[Any]) -> RankingData:
    return data.select(np.flatnonzero(np.isin(data.qid, qids)))  # type: ignore[arg-type]


def _clicks(rankers: Mapping[str, Run], qrels: Qrels) -> list[Impression]:
    """Sessions in which the top of one of several runs is shown."""
    judged = zip(qrels.qid.tolist(), qrels.docno.tolist(), strict=True)
    grades = dict(zip(judged, qrels.grade.tolist(), strict=True))
    return simulated_impressions({name: _top(run) for name, run in rankers.items()}, grades, N_SESSIONS)


def _top(run: Run) -> dict[str, list[str]]:
    """The documents that are shown for each query."""
    pairs = zip(run.qid.tolist(), run.docno.tolist(), strict=True)
    return {qid: [docno for _, docno in rows][:SHOWN] for qid, rows in groupby(pairs, key=lambda pair: pair[0])}

"""The features of Table 2 for the documents of a text collection."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...arrays import Floats
from ...data import RankingData
from ...features import ADARANK_FEATURES, LogBM25, QueryMinMax
from ...retrieval import BM25, Function, Retriever
from ..experiment import Source
from ..text_folder import HOLDS
from .collection import Collection
from .texts import Texts, ToRank, documents_to_rank, read_texts

#: The parameters of BM25 that are tried.
K1 = (0.4, 0.8, 1.2, 1.6, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0, 16.0, 32.0)
B = (0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1.0)
SETTINGS = tuple(BM25(k1, b) for k1 in K1 for b in B)


def read_text_collection(folder: Path) -> Collection:
    """Judged documents with the features of Table 2, scaled within each query."""
    texts = read_texts(folder, TEXT)
    to_rank, remarks = documents_to_rank(texts)
    scored = Scored(texts, to_rank)
    others = np.column_stack([scored.by(function) for function in ADARANK_FEATURES[:-1]])

    def features(function: BM25) -> RankingData:
        X = np.column_stack([others, scored.by(LogBM25(function.k1, function.b))])
        return scored.with_features(X, [each.name for each in ADARANK_FEATURES])

    sizes = {"documents": texts.index.n_documents}
    data = features(SETTINGS[0])
    return Collection(data, scored.by, features, SETTINGS, sizes, float(data.y.max()), remarks)


class Scored:
    """The documents to be ranked, query by query, which retrieval functions score."""

    def __init__(self, texts: Texts, to_rank: ToRank) -> None:
        self.index = texts.index
        self.queries = texts.index.queries(texts.queries[qid] for qid in to_rank)
        sizes = [len(mine) for mine in to_rank.values()]
        self.offsets = np.concatenate(([0], np.cumsum(sizes)))
        self.qid = np.repeat(np.array(list(to_rank)), sizes)
        self.documents = np.array([document for mine in to_rank.values() for document in mine], np.int64)
        self.grades = np.array([grade for mine in to_rank.values() for grade in mine.values()])

    def by(self, function: Function) -> Floats:
        """The score of each document."""
        return Retriever(self.index, function).score_pairs(self.queries, self.offsets, self.documents)

    def with_features(self, X: Floats, names: list[str]) -> RankingData:
        """The data with these features, scaled within each query."""
        docno = self.index.docno_array[self.documents]
        return RankingData(QueryMinMax().fit_transform(X, qid=self.qid), self.grades, self.qid, docno, names)


TEXT = Source(
    "text",
    HOLDS,
    "OHSUMED (Hersh et al. 1994); WSJ and AP of TREC's disks 2 and 3, with topics 101 to 300 and their judgments, from NIST",
    read_text_collection,
)

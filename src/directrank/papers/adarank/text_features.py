"""Features of Table 2 for the documents of a text collection."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...arrays import Floats
from ...data import RankingData
from ...features import ADARANK_FEATURES, LogBM25, QueryMinMax
from ...retrieval import BM25, Function, Retriever
from ..experiment import Source
from ..text_folder import CONTENTS
from .collection import Collection
from .texts import CandidateGrades, Texts, candidate_documents, read_texts

#: Parameters of BM25 to try.
K1 = (0.4, 0.8, 1.2, 1.6, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0, 16.0, 32.0)
B = (0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1.0)
SETTINGS = tuple(BM25(k1, b) for k1 in K1 for b in B)


def read_text_collection(folder: Path) -> Collection:
    """Read judged documents with the features of Table 2, scaled within each query."""
    texts = read_texts(folder, TEXT)
    candidates, remarks = candidate_documents(texts)
    scorer = CandidateScorer(texts, candidates)
    others = np.column_stack([scorer.score(function) for function in ADARANK_FEATURES[:-1]])

    def features(function: BM25) -> RankingData:
        X = np.column_stack([others, scorer.score(LogBM25(function.k1, function.b))])
        return scorer.with_features(X, [each.name for each in ADARANK_FEATURES])

    sizes = {"documents": texts.index.n_documents}
    data = features(SETTINGS[0])
    return Collection(data, scorer.score, features, SETTINGS, sizes, float(data.y.max()), remarks)


class CandidateScorer:
    """Score candidate documents by retrieval functions."""

    def __init__(self, texts: Texts, candidates: CandidateGrades) -> None:
        self.index = texts.index
        self.queries = texts.index.queries(texts.queries[qid] for qid in candidates)
        sizes = [len(grades) for grades in candidates.values()]
        self.offsets = np.concatenate(([0], np.cumsum(sizes)))
        self.qid = np.repeat(np.array(list(candidates)), sizes)
        self.documents = np.array([document for grades in candidates.values() for document in grades], np.int64)
        self.grades = np.array([grade for grades in candidates.values() for grade in grades.values()])

    def score(self, function: Function) -> Floats:
        """Score of each document."""
        return Retriever(self.index, function).score_pairs(self.queries, self.offsets, self.documents)

    def with_features(self, X: Floats, names: list[str]) -> RankingData:
        """Data with these features, scaled within each query."""
        docno = self.index.docno_array[self.documents]
        return RankingData(QueryMinMax().fit_transform(X, qid=self.qid), self.grades, self.qid, docno, names)


TEXT = Source(
    "text",
    CONTENTS,
    "OHSUMED (Hersh et al. 1994); WSJ and AP of TREC's disks 2 and 3, with topics 101 to 300 and their judgments, from NIST",
    read_text_collection,
)

"""The .Gov collection: web pages with links and URLs, and MSRA1000, a run whose scores are a feature."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...arrays import Floats
from ...data import InputError, RankingData, Run, as_run, join_runs, read_links, read_run, read_urls
from ...features import QueryMinMax, with_web_features
from ...retrieval import BM25
from ..experiment import Source
from ..folders import find_by_prefix, find_one
from .collection import Collection
from .text_features import SETTINGS, CandidateScorer
from .texts import CandidateGrades, Texts, read_texts

CONTENTS = (
    "documents* (TREC's web pages), topics* and qrels*, one or more of each; links* (lines with the docnos of a source and "
    "its targets), urls* (docno and URL; optional if the documents, all in one file or folder, have them), and msra1000*, "
    "a run"
)


def read_gov(folder: Path) -> Collection:
    """Read the documents of the run, with the features of Table 4."""
    links_file, run_file = (find_one(folder, name, GOV) for name in ("links", "msra1000"))
    texts, run = read_texts(folder, GOV, "title"), read_run(run_file)
    docnos = list(texts.index.docnos)
    links = read_links(links_file, docnos)
    has_urls = any(folder.glob("urls*"))
    urls = read_urls(find_one(folder, "urls", GOV) if has_urls else find_by_prefix(folder, "documents", GOV)[0], docnos)
    candidates, msra1000 = _run_candidates(texts, run)
    scorer = CandidateScorer(texts, candidates)

    def features(function: BM25) -> RankingData:
        data = scorer.with_features(np.column_stack([scorer.score(function), msra1000]), ["bm25", "msra1000"])
        found = with_web_features(data, texts.index, texts.queries, links=links, urls=urls, function=function)
        return RankingData(
            QueryMinMax().fit_transform(found.X, qid=found.qid), found.y, found.qid, found.docno, found.feature_names
        )

    data = scorer.with_features(msra1000[:, None], ["msra1000"])
    sizes = {"documents": len(docnos), "links": int(links.sum())}
    return Collection(data, scorer.score, features, SETTINGS, sizes, 1.0, (_recall_remark(texts, data),))


def _run_candidates(texts: Texts, run: Run) -> tuple[CandidateGrades, Floats]:
    """Documents of the run that are in the collection and whose queries were judged, and their scores."""
    joined = join_runs([run], texts.qrels)
    number = {docno: i for i, docno in enumerate(texts.index.docnos)}
    found: dict[str, dict[int, tuple[float, float]]] = {}
    judged = as_run(joined, joined.X[:, 0])
    columns = (values.tolist() for values in (judged.qid, judged.docno, joined.y, judged.score))
    for qid, docno, grade, score in zip(*columns, strict=True):
        if qid in texts.queries and docno in number:
            found.setdefault(qid, {})[number[docno]] = (float(grade > 0), score)
    if len(found) < 4:
        raise InputError(f"{len(found)} queries of the run have a topic and judgments; four trials need at least four")
    grades = {qid: {document: grade for document, (grade, _) in documents.items()} for qid, documents in found.items()}
    return grades, np.array([score for documents in found.values() for _, score in documents.values()])


def _recall_remark(texts: Texts, data: RankingData) -> str:
    n_relevant, n_found = int(np.sum(texts.qrels.grade > 0)), int(np.sum(data.y > 0))
    return f"Only documents of the run are ranked; it misses {n_relevant - n_found:,} of {n_relevant:,} relevant documents."


GOV = Source(
    "gov",
    CONTENTS,
    "TREC's .GOV (University of Glasgow), topic distillation of the Web Track 2003 (NIST); MSRA1000 was a system of "
    "Microsoft Research Asia in the Web Track 2004: provide its run, or another",
    read_gov,
)

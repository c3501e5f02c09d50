"""Features from the links and URLs of documents, in the manner of AdaRank's experiments on the web (Xu & Li 2007, Table 4).

The table names HostRank and relevance propagation by papers that were not available: `host_level_pagerank`, `propagate` and
`propagate_to_parents` are modelled on what is known of them. Its second feature, MSRA1000, is the run of a system of 2004
(Song et al. 2004), which has to be supplied as a run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..arrays import Floats
from ..data import InputError, RankingData
from ..retrieval.functions import BM25
from ..retrieval.index import Query, TextIndex
from ..retrieval.link_analysis import PROPAGATIONS, host_level_pagerank, pagerank, propagate
from ..retrieval.retriever import Retriever
from ..retrieval.sitemaps import propagate_to_parents, sitemap


def with_web_features(
    data: RankingData,
    index: TextIndex,
    queries: Mapping[str, str],
    *,
    links: Any | None = None,
    urls: Sequence[str] | None = None,
    function: BM25 | None = None,
) -> RankingData:
    """Ranking data with further features from links, from URLs, or from both.

    With links: the PageRank of the document, and for each kind of propagation (`propagate`) the propagated score ("score
    weighted in" and so on) and the score of propagated term counts ("terms weighted in" and so on). With URLs: both along
    the tree of URLs (`propagate_to_parents`), "score sitemap" and "terms sitemap". With links and URLs: also
    `host_level_pagerank`. A document's length is propagated like its term counts.

    Parameters
    ----------
    data : RankingData
        With qid and docno, as returned by `pool`.
    index : TextIndex
        Index of all documents.
    queries : mapping
        The text of each query, by its qid.
    links : sparse matrix or array, optional
        Links between the documents of the index, in its order; see `read_links`.
    urls : sequence of str, optional
        URLs of the documents of the index, in its order; see `read_urls`.
    function : BM25, optional
        The function that scores documents.
    """
    if data.qid is None or data.docno is None or not isinstance(data.X, np.ndarray):
        raise InputError("features from links need dense data with qid and docno, such as pool makes")
    for name, given in (("links", links), ("urls", urls)):
        if given is not None and np.shape(given)[0] != index.n_documents:
            raise InputError(f"{name} must be of the {index.n_documents} documents of the index, not {np.shape(given)[0]}")
    numbers = dict(zip(index.docno_array.tolist(), range(index.n_documents), strict=True))
    documents = np.array([numbers[docno] for docno in data.docno.tolist()], np.int64)
    fixed = _query_independent(links, urls)
    columns = {name: values[documents] for name, values in fixed.items()}
    propagation = _Propagation(index, function or BM25(), links, urls)
    grouped = data.by_query()
    for qid, rows in zip(grouped.ids.tolist(), grouped.each(), strict=True):
        for name, values in propagation.features(queries[str(qid)]).items():
            columns.setdefault(name, np.empty(len(data)))[rows] = values[documents[rows]]
    names = data.feature_names or [f"feature {j + 1}" for j in range(data.X.shape[1])]
    X = np.column_stack([data.X, *columns.values()])
    return RankingData(X, data.y, data.qid, data.docno, [*names, *columns])


def _query_independent(links: Any | None, urls: Sequence[str] | None) -> dict[str, Floats]:
    """Features that do not depend on the query."""
    found = {} if links is None else {"pagerank": pagerank(links)}
    return found if links is None or urls is None else {**found, "host-level pagerank": host_level_pagerank(links, urls)}


class _Propagation:
    """Scores and term counts of a query, propagated along links and URLs."""

    def __init__(self, index: TextIndex, function: BM25, links: Any | None, urls: Sequence[str] | None) -> None:
        self.index, self.function, self.links = index, function, links
        self.retriever = Retriever(index, function)
        self.parents = None if urls is None else sitemap(urls).parent

    def features(self, text: str) -> dict[str, Floats]:
        query = self.index.query(text)
        scores = self.retriever.scores(text)
        counts = np.column_stack([self._counts(query), self.index.lengths])
        found: dict[str, Floats] = {}
        for how in PROPAGATIONS if self.links is not None else ():
            found[f"score {how}"] = propagate(self.links, scores, how)
            found[f"terms {how}"] = self._score(query, propagate(self.links, counts, how, weights=scores))
        if self.parents is not None:
            found["score sitemap"] = propagate_to_parents(self.parents, scores)
            found["terms sitemap"] = self._score(query, propagate_to_parents(self.parents, counts))
        return found

    def _counts(self, query: Query) -> Floats:
        """Count of each query term in each document."""
        counts = np.zeros((self.index.n_documents, query.terms.size))
        for column, term in enumerate(query.terms.tolist()):
            postings = slice(self.index.starts[term], self.index.starts[term + 1])
            counts[self.index.documents[postings], column] = self.index.counts[postings]
        return counts

    def _score(self, query: Query, counts: Floats) -> Floats:
        return self.function.score_counts(self.index, query, counts[:, :-1], counts[:, -1])

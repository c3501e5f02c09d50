"""AdaRank's Table 4 against dense sums over a small web."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from directrank import InputError, RankingData
from directrank.features import with_web_features
from directrank.retrieval import (
    BM25,
    Retriever,
    TextIndex,
    host_level_pagerank,
    pagerank,
    pool,
    propagate,
    propagate_to_parents,
    sitemap,
)

URLS = ["x.org/", "x.org/a/", "x.org/a/b.html", "x.org/c.html", "y.org/d/e.html", "y.org/"]
texts = st.lists(st.lists(st.sampled_from("abcde"), max_size=6).map(" ".join), min_size=6, max_size=6)


def bm25(
    index: TextIndex, documents: list[str], query: str, counts: dict[str, np.ndarray], lengths: np.ndarray
) -> np.ndarray:
    """From counts of terms that need not be whole numbers; df and the mean length are those of the documents."""
    bags = [text.split() for text in documents]
    mean = sum(map(len, bags)) / len(bags)
    scores = np.zeros(len(bags))
    for term in set(query.split()):
        df = sum(term in bag for bag in bags)
        if not df:
            continue
        idf = max(math.log((len(bags) - df + 0.5) / (df + 0.5)), 0.0)
        for d in range(len(bags)):
            tf, qtf = counts[term][d], query.split().count(term)
            if tf:
                scores[d] += idf * 2.2 * tf / (tf + 1.2 * (0.25 + 0.75 * lengths[d] / mean)) * 8 * qtf / (7 + qtf)
    return scores


@given(
    documents=texts,
    query=st.lists(st.sampled_from("abcde"), min_size=1, max_size=3).map(" ".join),
    links=arrays(np.int64, (6, 6), elements=st.integers(0, 1)),
)
def test_each_feature(documents: list[str], query: str, links: np.ndarray) -> None:
    index = TextIndex.build(((f"d{i}", text) for i, text in enumerate(documents)), "plain")
    data = RankingData(np.zeros((6, 1)), np.zeros(6), ["q"] * 6, [f"d{i}" for i in range(6)])
    found = with_web_features(data, index, {"q": query}, links=sparse.csr_array(links), urls=URLS)
    columns = dict(zip(found.feature_names or [], found.X.T, strict=True))
    score = Retriever(index, BM25()).scores(query)
    counts = {term: np.array([text.split().count(term) for text in documents], float) for term in query.split()}
    lengths = np.array([len(text.split()) for text in documents], float)
    np.testing.assert_allclose(bm25(index, documents, query, counts, lengths), score, atol=1e-6)

    def terms(move) -> np.ndarray:
        return bm25(index, documents, query, {term: move(counts[term]) for term in counts}, move(lengths))

    wanted = {"feature 1": np.zeros(6), "pagerank": pagerank(links), "host-level pagerank": host_level_pagerank(links, URLS)}
    for how in ("weighted in", "weighted out", "uniform out"):
        wanted[f"score {how}"] = propagate(links, score, how)
        wanted[f"terms {how}"] = terms(lambda values, how=how: propagate(links, values, how, weights=score))
    parents = sitemap(URLS).parent
    wanted["score sitemap"] = propagate_to_parents(parents, score)
    wanted["terms sitemap"] = terms(lambda values: propagate_to_parents(parents, values))
    assert list(columns) == list(wanted)
    for name, values in wanted.items():
        np.testing.assert_allclose(columns[name], values, atol=1e-6, err_msg=name)


def test_what_is_given_says_what_there_is() -> None:
    index = TextIndex.build([("a", "cat dog"), ("b", "cat"), ("c", "cow hen"), ("d", "hen")], "plain")
    queries = {"q1": "dog", "q2": "cow cat"}
    data = pool([index], queries, functions=[BM25()])
    assert with_web_features(data, index, queries, urls=["x", "x/y", "z", "z/w"]).feature_names == [
        "bm25 plain",
        "score sitemap",
        "terms sitemap",
    ]
    linked = with_web_features(data, index, queries, links=np.eye(4))
    assert (
        linked.feature_names is not None
        and len(linked.feature_names) == 8
        and "host-level pagerank" not in linked.feature_names
    )
    np.testing.assert_allclose(linked.X[:, linked.feature_names.index("score uniform out")], data.X[:, 0], atol=1e-6)
    with pytest.raises(InputError, match="urls must be of the 4 documents of the index, not 1"):
        with_web_features(data, index, queries, urls=["x"])
    with pytest.raises(InputError, match="need dense data with qid and docno"):
        with_web_features(RankingData(data.X, data.y), index, queries, urls=["x"])

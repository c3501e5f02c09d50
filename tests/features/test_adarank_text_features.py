"""AdaRank's Table 2 against its formulas over raw counts."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
from hypothesis import given, strategies as st

from directrank.features import ADARANK_FEATURES, LogBM25
from directrank.retrieval import BM25, Retriever, TextIndex, pool

text = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=8).map(" ".join)


def table_2(query: str, documents: list[str], i: int) -> list[float]:
    bags = [Counter(d.split()) for d in documents]
    d, C, N = bags[i], sum(sum(b.values()) for b in bags), len(bags)
    size = sum(d.values())
    features = [0.0] * 6
    for w in set(query.split()) & set(d):
        c, cf = d[w], sum(b[w] for b in bags)
        idf = N / sum(w in b for b in bags)
        parts = (
            math.log(c + 1),
            math.log(C / cf + 1),
            math.log(idf),
            math.log(c / size + 1),
            math.log(c / size * idf + 1),
            math.log(c * C / (size * cf) + 1),
        )
        features = [f + p for f, p in zip(features, parts, strict=True)]
    return features


@given(query=text, documents=st.lists(text, min_size=1, max_size=6))
def test_the_seven_features(query: str, documents: list[str]) -> None:
    index = TextIndex.build(((str(i), d) for i, d in enumerate(documents)), "plain")
    ours = np.column_stack([Retriever(index, feature).scores(query) for feature in ADARANK_FEATURES])
    assert ours.shape == (len(documents), 7)
    np.testing.assert_allclose(ours[:, :6], [table_2(query, documents, i) for i in range(len(documents))], rtol=1e-6)
    bm25 = Retriever(index, BM25()).scores(query)
    np.testing.assert_allclose(ours[:, 6], np.log(np.maximum(bm25, 1e-3)), atol=1e-6)


def test_an_increasing_function_of_the_score_keeps_the_ranking() -> None:
    index = TextIndex.build([("a", "cat cat dog"), ("b", "cat"), ("c", "cow"), ("d", "cow hen"), ("e", "hen")], "plain")
    bm25, log = (Retriever(index, f).search({"q": "cat dog"}, 10) for f in (BM25(), LogBM25()))
    assert bm25.docno.tolist() == log.docno.tolist() == ["a", "b"]
    np.testing.assert_allclose(log.score, np.log(bm25.score))


def test_a_pool_of_them_has_their_names() -> None:
    index = TextIndex.build([("a", "cat dog"), ("b", "dog")], "plain")
    data = pool([index], {"q": "dog"}, functions=ADARANK_FEATURES)
    assert data.feature_names == [f"{feature.name} plain" for feature in ADARANK_FEATURES]
    assert data.X.shape == (2, 7) and np.all(np.isfinite(data.X))

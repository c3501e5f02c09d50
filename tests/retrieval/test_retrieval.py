"""Retrieval functions against their formulas over raw counts; impacts are held in single precision."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from directrank import InputError, Qrels
from directrank.retrieval import BM25, FUNCTIONS, TFIDF, Cosine, Dirichlet, JelinekMercer, Retriever, TextIndex, pool

CLOSE = {"rtol": 2e-6, "atol": 1e-6}

text = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=8).map(" ".join)


def plain_score(function, query: str, documents: list[str], i: int) -> float:
    """The formula, over raw counts."""
    bags = [Counter(d.split()) for d in documents]
    N, C = len(documents), sum(sum(b.values()) for b in bags)
    length, mean = sum(bags[i].values()), C / N
    total = 0.0
    asked = {t: n for t, n in Counter(query.split()).items() if any(t in b for b in bags)}
    df = {t: sum(t in b for b in bags) for b in bags for t in b}
    cf = {t: sum(b[t] for b in bags) for t in df}
    if isinstance(function, Cosine):

        def weights(bag: dict[str, int]) -> dict[str, float]:
            return {t: (1 + math.log(n)) * math.log(1 + N / df[t]) for t, n in bag.items()}

        q, d = weights(asked), weights(bags[i])
        norm = math.sqrt(sum(w * w for w in q.values()) * sum(w * w for w in d.values()))
        return sum(q[t] * d.get(t, 0.0) for t in q) / norm if norm else 0.0
    for t, n in asked.items():
        tf = bags[i][t]
        if isinstance(function, Dirichlet):
            total += n * math.log((tf + function.mu * cf[t] / C) / (length + function.mu))
        elif isinstance(function, JelinekMercer):
            within = tf / length if length else 0.0
            total += n * math.log((1 - function.weight) * within + function.weight * cf[t] / C)
        else:
            k1, b = function.k1, function.b
            part = (k1 + 1) * tf / (tf + k1 * (1 - b + b * length / mean))
            if isinstance(function, TFIDF):
                total += math.log((N + 1) / (df[t] + 0.5)) ** 2 * part * n
            else:
                odds = (N - df[t] + 0.5) / (df[t] + 0.5)
                idf = math.log(1 + odds) if function.idf == "lucene" else math.log(max(odds, 1))
                total += idf * part * (function.k3 + 1) * n / (function.k3 + n)
    return total


@pytest.mark.parametrize("function", [*FUNCTIONS, BM25(0.9, 0.4, 1.0, "lucene"), Dirichlet(10.0)], ids=str)
@given(query=text, documents=st.lists(text, min_size=1, max_size=6))
def test_formulas(function, query: str, documents: list[str]) -> None:
    index = TextIndex.build(((str(i), d) for i, d in enumerate(documents)), "plain")
    retriever = Retriever(index, function)
    wanted = [plain_score(function, query, documents, i) for i in range(len(documents))]
    np.testing.assert_allclose(retriever.scores(query), wanted, **CLOSE)
    everything = np.arange(len(documents))
    np.testing.assert_allclose(
        retriever.score_pairs([query, ""], np.array([0, len(documents), len(documents)]), everything),
        wanted,
        **CLOSE,
    )
    shares = [i for i, d in enumerate(documents) if set(d.split()) & set(query.split())]
    for depth in (1, 3, 100):
        run = retriever.search({"q": query}, depth)
        found = [int(docno) for docno in run.docno.tolist()]
        assert set(found) <= set(shares) and len(set(found)) == len(found)
        np.testing.assert_allclose(run.score, [wanted[i] for i in found], **CLOSE)
        # By value: the order of scores that differ only by rounding is arbitrary.
        np.testing.assert_allclose(run.score, sorted((wanted[i] for i in shares), reverse=True)[:depth], **CLOSE)


@pytest.mark.parametrize("method", ["lucene", "robertson"])
def test_bm25_is_that_of_bm25s(method: str) -> None:
    bm25s = pytest.importorskip("bm25s")
    random = np.random.default_rng(0)
    documents = [[f"w{w}" for w in random.zipf(1.5, 30) if w < 200] for _ in range(300)]
    peer = bm25s.BM25(method=method, k1=1.2, b=0.75)
    peer.index(documents, show_progress=False)
    index = TextIndex.build(((str(i), " ".join(d)) for i, d in enumerate(documents)), "plain")
    retriever = Retriever(index, BM25(idf=method, k3=0.0))  # k3 = 0: a term counts once
    for query in (["w1", "w7"], ["w3"], ["w150", "w2", "w5"]):
        theirs = peer.get_scores([t for t in query if t in peer.vocab_dict])
        np.testing.assert_allclose(retriever.scores(" ".join(query)), 2.2 * theirs, atol=1e-4)  # they leave out k1 + 1


def test_a_pool_is_the_union_scored_by_all() -> None:
    documents = {"a": "the cat sat", "b": "cats and dogs", "c": "a dog sat on a dog", "d": "nothing", "e": ""}
    queries = {"q1": "cat", "q2": "sitting dog", "q3": "absent", "q4": "dog"}
    indices = TextIndex.build_all(documents.items())
    qrels = Qrels(["q1", "q2", "q3"], ["b", "c", "a"], [2.0, 1.0, 1.0])
    data = pool(indices, queries, qrels, depth=1)
    assert data.X.shape[1] == 15 and data.feature_names[:3] == ["cosine plain", "tfidf plain", "bm25 plain"]
    assert set(data.qid.tolist()) == {"q1", "q2"}  # q3 finds nothing, q4 was not judged
    for qid, docno, row, grade in zip(data.qid.tolist(), data.docno.tolist(), data.X, data.y, strict=True):
        assert grade == {("q1", "b"): 2, ("q2", "c"): 1}.get((qid, docno), 0)
        column = 0
        for index in indices:
            for function in FUNCTIONS:
                number = list(documents).index(docno)
                assert row[column] == pytest.approx(Retriever(index, function).scores(queries[qid])[number])
                column += 1
    with pytest.raises(InputError, match="the indexes are not of the same documents"):
        pool([indices[0], TextIndex.build([("z", "cat")])], queries)
    with pytest.raises(InputError, match="a pool needs at least one index and one query"):
        pool(indices, {"q9": "cat"}, qrels)
    with pytest.raises(InputError, match="no document contains a term of any query"):
        pool(indices, {"q": "absent"})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: JelinekMercer(weight=0.0), "weight=0.0 is not valid for JelinekMercer"),
        (lambda: Dirichlet(mu=0), "mu=0 is not valid for Dirichlet"),
        (lambda: BM25(idf="Lucene"), "idf='Lucene' is not valid for BM25"),
        (lambda: TFIDF(b=2), "b=2 is not valid for TFIDF"),
    ],
)
def test_parameters_are_checked(make, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_a_function_must_be_finite() -> None:
    class Wrong(BM25):
        def impacts(self, index: TextIndex) -> np.ndarray:
            return np.full(index.counts.size, np.inf)

    with pytest.raises(InputError, match="gives values that are not finite"):
        Retriever(TextIndex.build([("a", "cat")], "plain"), Wrong())


def test_functions_in_a_pool_are_told_apart_by_their_parameters() -> None:
    index = TextIndex.build([("a", "cat"), ("b", "dog"), ("c", "cow")], "plain")
    data = pool([index], {1: "cat"}, functions=[BM25(), BM25(k1=2, idf="lucene")])
    assert data.feature_names == ["bm25 plain", "bm25(k1=2, idf=lucene) plain"]
    with pytest.raises(InputError, match="depth must be an integer, at least 1, not 0"):
        pool([index], {1: "cat"}, depth=0)
    with pytest.raises(InputError, match="the qrels: document a of query 1 is listed more than once; keep one"):
        pool([index], {1: "cat"}, Qrels(["1", "1"], ["a", "a"], [1.0, 0.0]))


def test_searching_many_queries_and_none() -> None:
    index = TextIndex.build([("a", "cat"), ("b", "dog")], "plain")
    run = Retriever(index, BM25(idf="lucene")).search([("1", "cat"), ("2", ""), ("3", "dog cat")], depth=5)
    assert list(zip(run.qid.tolist(), run.docno.tolist(), strict=True)) == [("1", "a"), ("3", "a"), ("3", "b")]
    assert len(Retriever(index, BM25()).search({})) == 0
    for depth in (0, 2.5):
        with pytest.raises(InputError, match=f"depth must be an integer, at least 1, not {depth}"):
            Retriever(index, BM25()).search({"1": "cat"}, depth=depth)

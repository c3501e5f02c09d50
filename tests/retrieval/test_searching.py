"""Searching by bounds, or in a dense pass, finds what plain sums find, to the last bit and in the same order."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, strategies as st

from directrank.arrays import Floats
from directrank.core import common_terms as kernels
from directrank.core.num_threads import limit_num_threads
from directrank.retrieval import BM25, FUNCTIONS, Dirichlet, Function, Query, Retriever, TextIndex
from directrank.retrieval.common_terms import RARITY, CommonTerms


@dataclass(frozen=True)
class Anything(Function):
    """Impacts, weights and parts of documents at random, of both signs, with many ties and zeros."""

    seed: int = 0
    lowest: int = -3
    has_part: bool = True
    name: ClassVar[str] = "anything"

    def impacts(self, index: TextIndex) -> Floats:
        random = np.random.default_rng(self.seed)
        size = index.documents.size
        found = random.integers(self.lowest, 4, size) * random.choice([1.0, 1.0, 0.1, 1 / 3], size)
        return found * np.repeat(random.choice([0.0, 0.03, 0.3, 3.0], index.n_terms), index.document_frequencies)

    def term_weights(self, index: TextIndex, query: Query) -> Floats:
        return (query.terms % 3 + min(self.lowest, 0) / 4) / 7

    def document_scores(self, index: TextIndex) -> Floats:
        random = np.random.default_rng(self.seed + 1)
        return random.integers(-2, 3, index.n_documents) / 7 if self.has_part else np.zeros(index.n_documents)


def scored(retriever: Retriever, text: str) -> list[tuple[float, int]]:
    """All documents with a term of the query, the best first, by sums over the terms in the order of the query."""
    index, function = retriever.index, retriever.function
    query = index.query(text)
    sums: dict[int, float] = {}
    for term, weight in zip(query.terms, function.term_weights(index, query), strict=True):
        for p in range(index.starts[term], index.starts[term + 1]):
            document = int(index.documents[p])
            sums[document] = sums.get(document, 0.0) + float(weight) * float(retriever.impacts[p])
    length, constant = float(query.counts.sum()), function.constant(index, query)
    scores = {d: total + length * float(retriever.document_scores[d]) for d, total in sums.items()}
    order = sorted(scores, key=lambda d: (-scores[d], d))
    return list(zip(function.transform(np.array([scores[d] + constant for d in order])).tolist(), order, strict=True))


def made(seed: int, n_documents: int) -> TextIndex:
    """Words from everywhere to nowhere; documents come in several copies, so that there are ties."""
    random = np.random.default_rng(seed)
    texts = [
        " ".join(f"w{w}" for w in random.zipf(1.3, random.integers(0, 12)) if w < 50) for _ in range(n_documents // 3 + 1)
    ]
    return TextIndex.build(((str(i), texts[i % len(texts)]) for i in range(n_documents)), "plain")


queries = st.lists(st.integers(1, 50).map("w{}".format), max_size=9).map(" ".join)
common_words = st.lists(st.integers(1, 8).map("w{}".format), max_size=6).map(" ".join)
functions = st.one_of(
    st.sampled_from([*FUNCTIONS, BM25(idf="lucene")]),
    st.builds(Anything, st.integers(0, 99), st.sampled_from([-3, 0]), st.booleans()),
)


@given(
    functions, st.integers(0, 999), st.sampled_from([1, 40, 64, 65, 400, 1500]), st.lists(queries, min_size=1, max_size=3)
)
def test_the_best_are_the_best_of_all(function, seed: int, n_documents: int, texts: list[str]) -> None:
    retriever = Retriever(made(seed, n_documents), function)
    wanted = [scored(retriever, text) for text in texts]
    for depth in (1, 10, 100, 2000):
        run = retriever.search(enumerate(texts), depth)
        assert run.docno.tolist() == [str(d) for rows in wanted for _, d in rows[:depth]]
        assert run.score.tolist() == [score for rows in wanted for score, _ in rows[:depth]]
        alone = [retriever.search([("0", text)], depth) for text in texts]
        assert run.docno.tolist() == [docno for one in alone for docno in one.docno.tolist()]
        assert run.score.tolist() == [score for one in alone for score in one.score.tolist()]
    for text, rows in zip(texts, wanted, strict=True):
        everywhere = retriever.scores(text)
        assert [(float(everywhere[d]), d) for _, d in rows] == rows


@given(functions, st.integers(0, 99), st.sampled_from([1, 400, 4096, 4097, 9000]), common_words, st.integers(1, 200))
def test_scoring_all_keeps_the_best(function, seed: int, n_documents: int, text: str, depth: int) -> None:
    retriever, depth = Retriever(made(seed, n_documents), function), min(depth, n_documents)
    wanted = scored(retriever, text)[:depth]
    batch = retriever._batch([text])
    kept, values = retriever._postings._compiled.score_all(batch.terms, batch.weights, batch.lengths[0], depth)
    scores = function.transform(values + batch.constants[0])
    assert np.all(np.diff(kept) > 0)
    best = np.argsort(-values, kind="stable")[:depth]
    assert list(zip(scores[best].tolist(), kept[best].tolist(), strict=True)) == wanted


@pytest.mark.parametrize("function", [BM25(), Dirichlet(), Anything(4)], ids=str)
def test_for_common_words_alone_all_documents_are_scored(function) -> None:
    random = np.random.default_rng(0)
    texts = [" ".join(f"w{w}" for w in random.integers(0, 20, random.integers(0, 9))) for _ in range(2000)]
    retriever = Retriever(TextIndex.build(((str(i), texts[i % 2000]) for i in range(9000)), "plain"), function)
    asked, depth = ["w1 w2 w3 w5 w8 w13", "w19 w18 w17 w16 w15"], 30
    batch = retriever._batch(asked)
    for first, last in zip(batch.offsets, batch.offsets[1:], strict=False):
        assert retriever._postings._compiled.needs_all(batch.terms[first:last], batch.weights[first:last], depth)
    wanted = [row for text in asked for row in scored(retriever, text)[:depth]]
    run = retriever.search(enumerate(asked), depth)
    assert list(zip(run.score.tolist(), run.docno.tolist(), strict=True)) == [(score, str(d)) for score, d in wanted]
    alone = [docno for text in asked for docno in retriever.search([("0", text)], depth).docno.tolist()]
    assert alone == run.docno.tolist()


@pytest.mark.parametrize("function", [BM25(), Anything()], ids=str)
def test_results_do_not_depend_on_the_number_of_threads(function) -> None:
    retriever = Retriever(made(0, 1500), function)
    random = np.random.default_rng(1)
    asked = [(str(q), " ".join(f"w{w}" for w in random.integers(1, 50, 5))) for q in range(20)]
    offsets, documents = np.arange(0, 2020, 100)[:21], random.integers(0, 1500, 2000)
    found = []
    for n_threads in (1, 2, 5):
        with limit_num_threads(n_threads):
            run = retriever.search(asked, 30)
            pairs = retriever.score_pairs([text for _, text in asked], offsets, documents)
            found.append((run.docno.tolist(), run.score.tolist(), pairs.tolist()))
    assert all(each == found[0] for each in found)


def test_pairs_may_be_given_in_any_order_and_more_than_once() -> None:
    retriever = Retriever(made(3, 400), BM25())
    every, wanted = retriever.scores("w1 w2 w9 w30"), np.array([7, 399, 7, 0, 12, 399])
    assert retriever.score_pairs(["w1 w2 w9 w30"], np.array([0, 6]), wanted).tolist() == every[wanted].tolist()


def test_a_term_that_adds_nothing_brings_in_the_first_of_its_documents() -> None:
    texts = ["the"] * 90 + ["the cat", "the cat cat"] + ["dog"] * 10
    retriever = Retriever(TextIndex.build(((str(i), text) for i, text in enumerate(texts)), "plain"), BM25())
    assert [d.tolist() for d in retriever.top(["the cat"], 5)] == [[91, 90, 0, 1, 2]]
    assert retriever.top(["the"], 3)[0].tolist() == [0, 1, 2]


def test_a_term_that_takes_may_overturn_the_order() -> None:
    class Counts(Function):
        name = "counts"

        def impacts(self, index: TextIndex) -> Floats:
            return index.counts * np.repeat([-2.0, 3.0], index.document_frequencies)

    texts = ["good good bad bad", "good", *["bad"] * 20]
    retriever = Retriever(TextIndex.build(((str(i), text) for i, text in enumerate(texts)), "plain"), Counts())
    assert retriever.top(["good bad"], 1)[0].tolist() == [1]


@given(st.integers(0, 999), st.integers(1, 200))
def test_postings_of_common_terms_are_found(seed: int, n_documents: int) -> None:
    index = made(seed, n_documents)
    tables = CommonTerms.from_postings(index.starts, index.documents, n_documents)
    for term in range(index.n_terms):
        mine = index.documents[index.starts[term] : index.starts[term + 1]].tolist()
        row = tables.row[term]
        assert (row >= 0) == (len(mine) * RARITY >= n_documents)
        if row >= 0:
            places = kernels.places(np.arange(n_documents, dtype=np.int32), tables.bits[row], tables.before[row])
            assert places.tolist() == [mine.index(d) if d in mine else -1 for d in range(n_documents)]


def test_a_retriever_can_be_pickled_and_used_by_many_threads_at_once() -> None:
    retriever = Retriever(made(7, 1500), Dirichlet())
    asked = [f"w{w} w{w + 3} w1" for w in range(1, 40)]
    wanted = [documents.tolist() for documents in retriever.top(asked, 20)]
    again = pickle.loads(pickle.dumps(retriever))
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda text: again.top([text], 20)[0].tolist(), asked)) == wanted


def test_term_weights_whose_scores_would_not_be_finite_are_refused() -> None:
    class Huge(Function):
        name = "huge"

        def impacts(self, index: TextIndex) -> Floats:
            return 1e30 * np.repeat([-1.0, 1.0], index.document_frequencies)

        def term_weights(self, index: TextIndex, query: Query) -> Floats:
            return np.full(query.terms.size, 1e300)

    retriever = Retriever(TextIndex.build([(str(i), "good bad") for i in range(50)], "plain"), Huge())
    with pytest.raises(ValueError, match="so large that scores are not finite"):
        retriever.top(["good bad"], 5)

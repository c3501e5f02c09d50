"""The mean over the orders of ties, against all orders written out; for every measure."""

from __future__ import annotations

import math

import numpy as np
import plain
import pytest
from hypothesis import given, strategies as st

from directrank import evaluate
from directrank.measures import known_names, parse
from directrank.measures.name_parser import measure_class

#: Measures that ask which documents were judged.
JUDGED = {
    "Bpref": plain.bpref(),
    "Bpref(rel=2)": plain.bpref(2),
    "infAP": plain.inferred_ap(),
    "infAP(rel=2)": plain.inferred_ap(2),
    "Judged": plain.judged(),
    "Judged@3": plain.judged(3),
}
RANKED = {
    "AP": plain.ap(),
    "AP(rel=2)": plain.ap(rel=2),
    "AP@2": plain.ap(k=2),
    "AP(rel=2)@3": plain.ap(rel=2, k=3),
    "DCG": plain.dcg(),
    "DCG@3": plain.dcg(k=3),
    "DCG(gain=linear, discount=none)@2": plain.dcg("linear", "none", 2),
    "ARP": plain.arp(),
    "nDCG": plain.ndcg(),
    "nDCG@3": plain.ndcg(k=3),
    "nDCG(gain=linear)": plain.ndcg("linear"),
    "nDCG(discount=jarvelin)@4": plain.ndcg("exp", "jarvelin", 4),
    "RR": plain.rr(),
    "RR@2": plain.rr(k=2),
    "RR(rel=2)": plain.rr(rel=2),
    "P@1": plain.precision(1),
    "P@4": plain.precision(4),
    "P(rel=2)@3": plain.precision(3, rel=2),
    "R@2": plain.recall(2),
    "R(rel=2)@3": plain.recall(3, rel=2),
    "Rprec": plain.r_precision(),
    "Rprec(rel=2)": plain.r_precision(rel=2),
    "PRBEP": plain.r_precision(),
    "Success@1": plain.success(1),
    "Success@3": plain.success(3),
    "Success(rel=2)@2": plain.success(2, rel=2),
    "ERR": plain.err(),
    "ERR@3": plain.err(k=3),
    "ERR(max_grade=2.5)": plain.err(2.5),
    "RBP": plain.rbp(),
    "RBP(p=0.5)@3": plain.rbp(0.5, k=3),
    "RBP(rel=2)": plain.rbp(rel=2),
    "RBP(gain=linear)@3": plain.rbp(gain="linear", k=3),
    "SetP": plain.set_precision(),
    "SetR(rel=2)": plain.set_recall(2),
    "SetF": plain.set_f(),
    "SetF(beta=2)": plain.set_f(2),
    **JUDGED,
}

query = st.lists(
    st.tuples(st.sampled_from([-math.inf, -1.0, 0.0, 0.5, 2.0]), st.sampled_from([0.0, 0.0, 0.5, 1.0, 2.0, 2.5])),
    min_size=1,
    max_size=6,
)


def values(name: str, queries: list[list[tuple[float, float]]]) -> np.ndarray:
    rows = [(i, s, g) for i, documents in enumerate(queries) for s, g in documents]
    qid, scores, grades = (list(column) for column in zip(*rows, strict=True))
    return evaluate(grades, scores, qid, name).per_query[parse(name).name]


@pytest.mark.parametrize("name", RANKED)
@given(queries=st.lists(query, min_size=1, max_size=3))
def test_mean_over_all_orders(name: str, queries: list[list[tuple[float, float]]]) -> None:
    wanted = [plain.mean_over_orders(RANKED[name], *map(list, zip(*q, strict=True))) for q in queries]
    np.testing.assert_allclose(values(name, queries), wanted, rtol=0, atol=1e-12)


judgment = st.sampled_from([math.nan, -1.0, -2.0, 0.0, 0.0, 1.0, 2.0])
judged_query = st.lists(st.tuples(st.sampled_from([-math.inf, -1.0, 0.0, 0.5]), judgment), min_size=1, max_size=6)


@pytest.mark.parametrize("name", JUDGED)
@given(documents=judged_query)
def test_mean_over_all_orders_of_documents_that_were_judged_or_not(name: str, documents: list) -> None:
    scores, grades = map(list, zip(*documents, strict=True))
    found = parse(name).evaluate(np.array(scores), np.array(grades), np.array([0, len(grades)]))
    np.testing.assert_allclose(found, plain.mean_over_orders(JUDGED[name], scores, grades), rtol=0, atol=1e-12)


@pytest.mark.parametrize("recall", [0, 0.1, 0.5, 0.7, 1])
@given(documents=query)
def test_interpolated_precision_takes_the_worst_order(recall: float, documents: list[tuple[float, float]]) -> None:
    scores, grades = map(list, zip(*documents, strict=True))
    for rel in (1e-9, 2):
        of_orders = [plain.interpolated_precision(recall, rel)(*order) for order in plain.orders(scores, grades)]
        np.testing.assert_allclose(values(f"IPrec(rel={rel})@{recall}", [documents]), min(of_orders), atol=1e-12)


@given(query)
def test_auc_counts_ties_half(documents: list[tuple[float, float]]) -> None:
    scores, grades = map(list, zip(*documents, strict=True))
    np.testing.assert_allclose(values("AUC", [documents]), plain.auc(scores, grades), atol=1e-12)
    for grade in (0.0, 1.0, 2.0):
        of_class = plain.auc(scores, [float(g == grade) for g in grades])
        np.testing.assert_allclose(values(f"AUC(grade={grade})", [documents]), of_class, atol=1e-12)
    at_least = plain.auc(scores, [float(g >= 2) for g in grades])
    np.testing.assert_allclose(values("AUC(rel=2)", [documents]), at_least, atol=1e-12)


@given(query)
def test_auc_is_the_mean_over_orders_too(documents: list[tuple[float, float]]) -> None:
    def of_order(ranked: list[float], _: list[float]) -> float:
        return plain.auc([float(-r) for r in range(len(ranked))], ranked)

    scores, grades = map(list, zip(*[(max(s, -9.0), g) for s, g in documents], strict=True))
    assert plain.mean_over_orders(of_order, scores, grades) == pytest.approx(plain.auc(scores, grades), abs=1e-12)


@given(query, st.sampled_from([None, 2]))
def test_a_tie_is_one_segment_of_the_precision_recall_curve(documents: list[tuple[float, float]], rel: float | None) -> None:
    scores, grades = map(list, zip(*documents, strict=True))
    wanted = plain.auprc(scores, grades, rel or 1e-9)
    np.testing.assert_allclose(values(f"AUPRC(rel={rel})", [documents]), wanted, atol=1e-12)


@given(query, st.sampled_from([(2.0, 0.0), (2.5, 0.5), (1.0, 0.0)]))
def test_pairs_of_two_grades(documents: list[tuple[float, float]], pair: tuple[float, float]) -> None:
    scores, grades = map(list, zip(*documents, strict=True))
    name = f"PairAccuracy(high={pair[0]}, low={pair[1]})"
    np.testing.assert_allclose(values(name, [documents]), plain.pair_accuracy(scores, grades, *pair), atol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 4])
@given(queries=st.lists(query, min_size=1, max_size=3))
def test_micro_and_macro_precision(k: int, queries: list[list[tuple[float, float]]]) -> None:
    """Welleck's eq. 2 and 4, class by class of each query."""

    def of_class(c: float):
        return lambda ranked, _: sum(g == c for g in ranked[:k]) / k

    micro = []
    for q in queries:
        scores, grades = map(list, zip(*q, strict=True))
        classes = {g for g in grades if g > 0}
        total = sum(plain.mean_over_orders(of_class(c), scores, grades) for c in classes)
        micro.append(total / max(len(classes), 1))
    np.testing.assert_allclose(values(f"microP@{k}", queries), micro, atol=1e-12)
    np.testing.assert_allclose(values(f"macroP@{k}", queries), micro, atol=1e-12)


@given(query, st.sampled_from([None, 2]))
def test_micro_and_macro_precision_of_predicted_grades(documents: list[tuple[float, float]], rel: float | None) -> None:
    micro, macro = plain.micro_and_macro_precision(*map(list, zip(*documents, strict=True)), rel or 1e-9)
    np.testing.assert_allclose(values(f"MicroPrecision(rel={rel})", [documents]), micro, atol=1e-12)
    np.testing.assert_allclose(values(f"MacroPrecision(rel={rel})", [documents]), macro, atol=1e-12)


@given(st.lists(query, min_size=1, max_size=3))
def test_mauc_weighs_the_class_reference_areas(queries: list[list[tuple[float, float]]]) -> None:
    wanted = []
    for q in queries:
        scores, grades = map(list, zip(*q, strict=True))
        above_0 = [g for g in grades if g > 0]
        areas = {c: plain.auc(scores, [float(g == c) for g in grades]) for c in set(above_0)}
        wanted.append(sum(above_0.count(c) / len(above_0) * area for c, area in areas.items()))
    np.testing.assert_allclose(values("MAUC", queries), wanted, atol=1e-12)


SETWISE = {"Accuracy", "BalancedAccuracy", "F", "F1", "GMean", "Jaccard", "MCC", "MicroPrecision", "MacroPrecision"}
ELSEWHERE = {"IPrec", "AUC", "AUPRC", "MAUC", "PairAccuracy", "microP", "macroP"}


def test_all_measures_are_tested() -> None:
    tested = {name.split("(")[0].split("@")[0] for name in RANKED}
    ours = {name for name in known_names() if measure_class(name).__module__.startswith("directrank.")}
    assert tested | SETWISE | ELSEWHERE == ours


NAMES = [
    *RANKED,
    "IPrec@0.3",
    "AUC",
    "AUPRC",
    "AUC(grade=2)",
    "MAUC",
    "PairAccuracy(high=2, low=0)",
    "microP@2",
    "MicroPrecision",
    "MacroPrecision",
    "Accuracy",
    "F1",
    "F(beta=2)",
    "Jaccard",
    "GMean",
    "MCC",
]


@given(st.lists(query, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_shuffling_rows_changes_nothing(queries: list[list[tuple[float, float]]], random) -> None:
    rows = [(i, s, g) for i, documents in enumerate(queries) for s, g in documents]
    shuffled = rows.copy()
    random.shuffle(shuffled)
    results = []
    for some in (rows, shuffled):
        qid, scores, grades = (np.array(column) for column in zip(*some, strict=True))
        result = evaluate(grades, scores, qid, NAMES)
        results.append(np.array(list(result.per_query.values()))[:, np.argsort(result.qid)])
    np.testing.assert_allclose(*results, rtol=0, atol=1e-12)


def test_shuffling_many_rows_changes_nothing() -> None:
    random = np.random.default_rng(0)
    n = 20_000
    grades, scores, qid = random.integers(0, 3, n), random.integers(0, 50, n) / 7, random.integers(0, 100, n)
    order = random.permutation(n)
    a = evaluate(grades, scores, qid, NAMES).to_frame().sort_index()
    b = evaluate(grades[order], scores[order], qid[order], NAMES).to_frame().sort_index()
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-12)


def test_infap_with_many_ties_and_partial_judgments() -> None:
    random, n = np.random.default_rng(2), 3000
    grades = random.choice([math.nan, -1.0, 0.0, 1.0], n, p=[0.3, 0.3, 0.3, 0.1])
    offsets, measure = np.array([0, n]), parse("infAP")
    tied = measure.evaluate(np.zeros(n), grades, offsets)[0]
    drawn = [measure.evaluate(random.random(n), grades, offsets)[0] for _ in range(200)]
    assert abs(tied - np.mean(drawn)) <= 5 * np.std(drawn) / np.sqrt(200)


@pytest.mark.parametrize("name", ["AP", "nDCG", "RR", "Success@10", "AUC", "ERR", "ERR@10", "Rprec", "RBP", "Bpref"])
def test_huge_ties_are_quick_and_right(name: str) -> None:
    """A hundred thousand equal scores: the mean over random orders is near the closed form."""
    random = np.random.default_rng(1)
    grades = (random.random(100_000) < 0.01) * random.integers(1, 4, 100_000)
    tied = evaluate(grades, np.zeros(grades.size), measures=name)[name]
    drawn = [evaluate(grades, random.random(grades.size), measures=name)[name] for _ in range(100)]
    assert abs(tied - np.mean(drawn)) <= 5 * np.std(drawn) / 10 + 1e-9

"""Bound measures: which queries are informative, each query on its own, empty ones, huge cut-offs, custom measures."""

from __future__ import annotations

import itertools
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st
from peak_memory import peak_memory

from directrank import Measure, MeasureError
from directrank.measures import AP, AUC, Bound, MeasureSum, bind, parse, require
from directrank.measures.name_parser import known_names, measure_class
from directrank.measures.pairs.evaluated_swaps import lambda_function

RANKINGS = [
    "AP", "AP@1", "AP(rel=2)@3", "RR", "RR@1", "RR(rel=2)@2", "P@1", "P@3", "P@2p", "P(rel=2)@2", "R@2", "R@0.5p",
    "R@4", "Rprec", "Rprec(rel=2)", "PRBEP", "Success@1", "Success@3", "Success@2p", "Success(rel=2)@2", "microP@2",
    "macroP@1", "ARP", "DCG", "DCG@2", "DCG(gain=linear, discount=jarvelin)", "DCG(discount=none)",
    "DCG(discount=none)@2", "nDCG", "nDCG@1", "nDCG@3",
    "nDCG(discount=jarvelin)", "nDCG(discount=jarvelin)@2", "nDCG(gain=linear)@4", "ERR", "ERR@1", "ERR@3", "AUC",
    "AUC(rel=2)", "AUC(grade=1)", "AUPRC", "AUPRC(rel=2)", "MAUC", "PairAccuracy(high=2, low=0)",
    "PairAccuracy(high=2, low=1)", "RBP", "RBP(p=0.5)@2", "RBP(gain=linear)", "IPrec@0", "IPrec@0.5", "IPrec(rel=2)@1",
    "Bpref", "Bpref(rel=2)", "infAP", "Judged", "Judged@2", "SetP", "SetR", "SetF", "SetF(beta=2)",
    "0.7*nDCG@1 + 0.3*AUC(rel=2)",
]  # fmt: skip
LABELLINGS = [
    "Accuracy", "Accuracy(rel=2)", "F1", "F(beta=2)", "F(beta=0.5, rel=2)", "Jaccard", "Jaccard(rel=2)", "BalancedAccuracy",
    "BalancedAccuracy(rel=2)", "GMean", "GMean(rel=2)", "MCC", "MCC(rel=2)",
]  # fmt: skip
GRADINGS = ["MicroPrecision", "MicroPrecision(rel=2)", "MacroPrecision"]
ALL = [*RANKINGS, *LABELLINGS, *GRADINGS]

few_grades = st.lists(st.sampled_from([0.0, 0.0, 1.0, 2.0, 3.5]), min_size=1, max_size=5)


def ours() -> set[str]:
    return {name for name in known_names() if measure_class(name).__module__.startswith("directrank.")}


def test_all_measures_are_tested() -> None:
    assert {type(parse(name)).__name__ for name in ALL} | {"F"} == ours() | {"MeasureSum"}


def bound_to(name: str, grades: list[float]) -> Bound:
    return parse(name).bind(np.array(grades), np.array([0, len(grades)]))


@pytest.mark.parametrize("name", RANKINGS)
@given(grades=few_grades)
def test_informative_is_that_some_rankings_have_other_values(name: str, grades: list[float]) -> None:
    bound = bound_to(name, grades)
    values = [bound.evaluate(np.array(ranks, float))[0] for ranks in itertools.permutations(range(len(grades)))]
    assert bound.informative.tolist() == [max(values) - min(values) > 1e-12]


@pytest.mark.parametrize("name", LABELLINGS)
@given(grades=few_grades)
def test_informative_is_that_some_labellings_have_other_values(name: str, grades: list[float]) -> None:
    bound = bound_to(name, grades)
    values = [bound.evaluate(np.array(labels))[0] for labels in itertools.product([-1.0, 1.0], repeat=len(grades))]
    assert bound.informative.tolist() == [max(values) - min(values) > 1e-12]


@pytest.mark.parametrize("name", GRADINGS)
@given(grades=few_grades)
def test_informative_is_that_some_predicted_grades_have_other_values(name: str, grades: list[float]) -> None:
    bound = bound_to(name, grades)
    predicted = itertools.product(sorted(set(grades)), repeat=len(grades))
    values = [bound.evaluate(np.array(labels))[0] for labels in predicted]
    assert bound.informative.tolist() == [max(values) - min(values) > 1e-12]


def outcomes(bound: Bound, scores: np.ndarray) -> dict[str, np.ndarray]:
    """All that a bound measure gives at these scores, of queries or of documents."""
    found = {"value": bound.evaluate(scores), "informative": bound.informative}
    for method, kinds in (("lambdas", ("gradient", "hessian")), ("most_violated", ("coefficients", "losses"))):
        try:
            found |= dict(zip(kinds, getattr(bound, method)(scores), strict=True)) if hasattr(bound, method) else {}
        except MeasureError as error:
            assert "known for" in str(error)
    if hasattr(bound, "smooth"):
        found |= dict(zip(("smoothed", "slopes"), bound.smooth(scores, 0.3), strict=True))
    return found


def some_queries(n_queries: int, longest: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(3)
    sizes = np.append(random.integers(0, longest, n_queries), [0, 1, 2, 2, 3, 0])
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    grades = random.choice([0.0, 0.0, 1.0, 2.0, 3.0, 4.0], offsets[-1])
    scores = np.where(random.random(offsets[-1]) < 0.5, np.round(random.normal(size=offsets[-1]), 1), random.normal())
    return scores, grades, offsets


@pytest.mark.parametrize("name", ALL)
def test_a_query_does_not_depend_on_others(name: str) -> None:
    """Bit for bit: queries of many lengths bound together equal queries bound one by one, empty ones included."""
    scores, grades, offsets = some_queries(60, 70)
    together = outcomes(parse(name).bind(grades, offsets), scores)
    for q, (lo, hi) in enumerate(pairwise(offsets)):
        alone = outcomes(parse(name).bind(grades[lo:hi], np.array([0, hi - lo])), scores[lo:hi])
        for kind, values in alone.items():
            mine = together[kind][q : q + 1] if values.size == 1 and together[kind].size == offsets.size - 1 else None
            np.testing.assert_array_equal(values, together[kind][lo:hi] if mine is None else mine, err_msg=kind)


@pytest.mark.parametrize("name", ["AUC", "MAUC", "nDCG", "AP", "AUPRC", "P@100", "RR"])
def test_long_queries_do_not_depend_on_others(name: str) -> None:
    random, sizes = np.random.default_rng(5), [2100, 5, 2500, 300]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    scores, grades = random.normal(size=offsets[-1]), random.integers(0, 3, offsets[-1]).astype(float)
    grades[: sizes[0]] = random.random(sizes[0])
    together = parse(name).bind(grades, offsets).lambdas(scores)
    for lo, hi in pairwise(offsets):
        alone = parse(name).bind(grades[lo:hi], np.array([0, hi - lo])).lambdas(scores[lo:hi])
        np.testing.assert_array_equal(alone.gradient, together.gradient[lo:hi])
        np.testing.assert_array_equal(alone.hessian, together.hessian[lo:hi])


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("offsets", [[0], [0, 0], [0, 0, 3, 3, 3, 5, 5]])
def test_empty_queries_have_value_0(name: str, offsets: list[int]) -> None:
    scores, grades = np.array([0.5, -1.0, 2.0, 3.0, 1.0])[: offsets[-1]], np.array([0.0, 1.0, 3.0, 0.0, 2.0])[: offsets[-1]]
    bound = parse(name).bind(grades, np.array(offsets))
    found, empty = outcomes(bound, scores), np.diff(offsets) == 0
    assert not found["value"][empty].any() and not bound.informative[empty].any()
    assert all(np.isfinite(values).all() for values in found.values())
    assert "losses" not in found or not found["losses"][empty].any()


def test_values_of_the_grades_are_computed_once() -> None:
    bound = parse("nDCG@10").bind(np.array([0.0, 1.0, 3.0]), np.array([0, 3]))
    assert bound.ideals is bound.ideals and bound.informative is bound.informative
    assert AUC().bind(np.array([0.0, 1.0, 3.0, 3.0]), np.array([0, 4])).pairs.tolist() == [5]


HUGE = 2 * 10**7


@pytest.mark.parametrize(
    "kind", ["P", "R", "Success", "nDCG", "nDCG(discount=jarvelin)", "DCG", "RR", "AP", "ERR", "microP"]
)
def test_memory_follows_the_data_and_not_the_cutoff(kind: str) -> None:
    scores, grades, offsets = some_queries(5, 20)
    with peak_memory() as peak:
        found = outcomes(parse(f"{kind}@{HUGE}").bind(grades, offsets), scores)
    assert peak.n_bytes < HUGE
    if kind not in ("P", "microP"):  # which divide by k
        deep = outcomes(parse(f"{kind}@1000").bind(grades, offsets), scores)
        np.testing.assert_array_equal(found["value"], deep["value"])


def plain_minorant(values: np.ndarray) -> np.ndarray:
    """By its corners, over the whole table."""
    corners: list[int] = []
    for i in range(values.size):
        while len(corners) >= 2:
            a, b = corners[-2:]
            if (values[b] - values[a]) * (i - a) < (values[i] - values[a]) * (b - a):
                break
            corners.pop()
        corners.append(i)
    return np.interp(np.arange(values.size), corners, values[corners])


@pytest.mark.parametrize("discount", ["log2", "jarvelin"])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 8, 10, 50, 100, 999, 20_000])
@pytest.mark.parametrize("n", [1, 2, 3, 10, 60, 400])
def test_the_convex_minorant_of_a_cut_discount(discount: str, k: int, n: int) -> None:
    bound = parse(f"nDCG(discount={discount})@{k}").bind(np.ones(n), np.array([0, n]))
    ranks = np.arange(1, k + 1) + (discount == "log2")
    wanted = plain_minorant(np.append(1 / np.log2(np.maximum(ranks, 2)), 0.0))
    np.testing.assert_allclose(bound._minorant[1:], np.append(wanted, np.zeros(n))[:n], rtol=1e-15, atol=0)


def test_a_minorant_far_beyond_the_data_is_the_discount() -> None:
    bound = parse(f"nDCG@{2**62}").bind(np.ones(30), np.array([0, 30]))
    np.testing.assert_allclose(bound._minorant[1:], 1 / np.log2(np.arange(2, 32)), rtol=1e-15)


@pytest.mark.parametrize("k", [True, np.True_, 0, 10**20, 2**62 + 1, 1.5])
@pytest.mark.parametrize("kind", ["nDCG", "P", "AP"])
def test_invalid_cutoffs(kind: str, k: object) -> None:
    with pytest.raises(MeasureError, match=f"{kind}: k must be an integer between 1 and 2\\^62, not "):
        measure_class(kind)(k=k)


@pytest.fixture
def registry():
    """Forget the measures that a test defines."""
    before = dict(Measure.registry)
    yield
    Measure.registry.clear()
    Measure.registry.update(before)


SCORES, GRADES, OFFSETS = np.array([1.0, 3.0, 2.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0, 1.0, 0.0]), np.array([0, 3, 5])


@pytest.mark.usefixtures("registry")
def test_a_custom_measure_gets_ranked_documents() -> None:
    class TopGrade(Measure):
        def evaluate(self, scores, grades, offsets):
            assert all(np.all(np.diff(scores[lo:hi]) <= 0) for lo, hi in pairwise(offsets))
            return grades[offsets[:-1]]

    bound = TopGrade().bind(GRADES, OFFSETS)
    assert type(bound) is Bound and bound.evaluate(SCORES).tolist() == [0, 0]
    assert bound.evaluate(-SCORES).tolist() == [0, 1]
    assert bound.informative.tolist() == [True, True]

    class Plain:
        evaluate = TopGrade.evaluate

    assert bind(Plain(), GRADES, OFFSETS).evaluate(-SCORES).tolist() == [0, 1]


@pytest.mark.usefixtures("registry")
def test_a_subclass_with_its_own_evaluate_is_not_bound_to_the_kernels_of_its_parent() -> None:
    class Half(AP):
        def evaluate(self, scores, grades, offsets):
            return super().evaluate(scores, grades, offsets) / 2

    class HalfAgain(Half):
        pass

    class Strict(AP):
        def relevant(self, grades):
            return grades > 0

    whole = AP().evaluate(SCORES, GRADES, OFFSETS)
    for half in (Half(), HalfAgain()):
        np.testing.assert_array_equal(half.evaluate(SCORES, GRADES, OFFSETS), whole / 2)
        np.testing.assert_array_equal(half.bind(GRADES, OFFSETS).evaluate(SCORES), whole / 2)
        assert not hasattr(half.bind(GRADES, OFFSETS), "lambdas")
    assert type(Strict().bind(GRADES, OFFSETS)) is AP.bound
    with pytest.raises(MeasureError, match=r"SVM needs most_violated, which Half does not have; .*: Accuracy, AP, "):
        require(Half, "most_violated", "SVM")


@pytest.mark.usefixtures("registry")
def test_a_custom_binding() -> None:
    class Twice(Bound):
        def evaluate(self, scores):
            return 2 * AP().bind(self.grades, self.offsets).evaluate(scores)

    class TwiceAP(Measure):
        bound = Twice

    np.testing.assert_array_equal(TwiceAP().evaluate(SCORES, GRADES, OFFSETS), 2 * AP().evaluate(SCORES, GRADES, OFFSETS))


@pytest.mark.usefixtures("registry")
def test_a_measure_without_evaluate_is_an_error() -> None:
    class Nothing(Measure):
        pass

    class OnlyLambdas(Bound):
        def lambdas(self, scores):
            return None

    class Little(Measure):
        bound = OnlyLambdas

    for kind in (Nothing, Little, Measure):
        with pytest.raises(MeasureError, match=f"{kind.__name__} is not a measure yet: give it a method evaluate"):
            kind()


def test_require_looks_at_the_bound_measure_and_at_the_measure() -> None:
    class Plain:
        def evaluate(self, scores, grades, offsets):
            return scores

    assert require("AP", "lambdas", "x") == AP() and require("AUC", "violation_units", "x") == AUC()
    with pytest.raises(MeasureError, match=r"x needs lambdas, which Plain does not have; .*: AP, ARP, AUC, AUPRC, DCG, ERR"):
        require(Plain(), "lambdas", "x")
    sentence = "x needs violation_units, which AP does not have; .*: Accuracy, AUC, B.*, and every ContingencyMeasure"
    with pytest.raises(MeasureError, match=sentence):
        require("AP", "violation_units", "x")


@pytest.mark.usefixtures("registry")
def test_a_weighted_sum_binds_each_term_once() -> None:
    bindings = []

    class Counted(Measure):
        def evaluate(self, scores, grades, offsets):
            return AP().evaluate(scores, grades, offsets)

        def bind(self, grades, offsets):
            bindings.append(grades)
            return super().bind(grades, offsets)

    bound = MeasureSum(terms=((0.5, Counted()), (0.5, parse("nDCG")))).bind(GRADES, OFFSETS)
    for _ in range(3):
        bound.evaluate(SCORES)
    assert len(bindings) == 1
    with pytest.warns(UserWarning, match="Counted has no lambdas"):
        first = bound.lambdas(SCORES)
    np.testing.assert_array_equal(bound.lambdas(SCORES), first)  # and no second warning
    assert lambda_function(bound) == bound.lambdas


@pytest.mark.usefixtures("registry")
def test_lambdas_without_the_parameter_by_distance() -> None:
    class Plain(Bound):
        def evaluate(self, scores):
            return AP().bind(self.grades, self.offsets).evaluate(scores)

        def lambdas(self, scores):
            return AP().bind(self.grades, self.offsets).lambdas(scores)

    class PlainAP(Measure):
        bound = Plain

    bound = PlainAP().bind(GRADES, OFFSETS)
    np.testing.assert_array_equal(bound.lambdas(SCORES, False), bound.lambdas(SCORES))
    for call in (lambda: bound.lambdas(SCORES, True), lambda: bound.lambdas(SCORES, by_distance=True)):
        with pytest.raises(MeasureError, match="the lambdas of PlainAP do not count pairs by distance: give the method a"):
            call()


def test_a_custom_evaluate_beside_custom_lambdas_still_reaches_the_family() -> None:
    class OnlyLambdas(Bound):
        def lambdas(self, scores):
            return AP().bind(self.grades, self.offsets).lambdas(scores)

    class _Halved(AP):
        bound = OnlyLambdas

        def evaluate(self, scores, grades, offsets):
            return super().evaluate(scores, grades, offsets) / 2

    class _Rootless(Measure):
        def evaluate(self, scores, grades, offsets):
            return super().evaluate(scores, grades, offsets)

    scores, grades, offsets = np.array([3.0, 2.0, 1.0]), np.array([0.0, 1.0, 0.0]), np.array([0, 3])
    assert _Halved().evaluate(scores, grades, offsets).tolist() == [0.25]
    assert _Halved().bind(grades, offsets).evaluate(scores).tolist() == [0.25]
    with pytest.raises(MeasureError, match="_Rootless extends no measure whose evaluate it could call"):
        _Rootless().evaluate(scores, grades, offsets)


@pytest.mark.parametrize(
    "name", ["AP", "nDCG@10", "RR", "P@2", "AUC", "MAUC", "ERR", "F1", "Accuracy", "MCC", "0.5*AP + 0.5*AUC"]
)
def test_scores_of_another_shape_never_reach_a_kernel(name: str) -> None:
    bound = parse(name).bind(np.array([1.0, 0.0, 2.0]), np.array([0, 3]))
    methods = [method for method in ("evaluate", "lambdas", "most_violated") if hasattr(bound, method)]
    for method in methods:
        wanted = getattr(bound, method)(np.array([3.0, 1.0, 2.0]))
        for scores in (
            [3, 1, 2],
            np.array([3, 1, 2]),
            np.array([3, 1, 2], np.float32),
            np.arange(6.0)[::-2] * 0 + [3, 1, 2],
        ):
            np.testing.assert_array_equal(np.hstack(getattr(bound, method)(scores)), np.hstack(wanted))
        for scores in ([1.0, 2.0], np.ones(4), np.ones((3, 1)), 1.0):
            with pytest.raises(MeasureError, match="there are 3 documents, and the scores are of the shape"):
                getattr(bound, method)(scores)


class _TopIsThree:
    """Custom, and blind to most grades."""

    def evaluate(self, scores, grades, offsets):
        return (grades[offsets[:-1]] == 3).astype(float)


def test_a_custom_measure_finds_each_query_informative_by_itself() -> None:
    grades, offsets = np.array([0.0, 1.0, 0.0, 3.0, *np.arange(20.0)]), np.array([0, 2, 4, 24])
    together = bind(_TopIsThree(), grades, offsets).informative
    assert together.tolist() == [False, True, True]
    for q, (lo, hi) in enumerate(pairwise(offsets)):
        assert bind(_TopIsThree(), grades[lo:hi], np.array([0, hi - lo])).informative.tolist() == [together[q]]


def test_terms_of_a_weighted_sum_are_pairs() -> None:
    for terms in ((AP(),), ((0.5, "AP"),), (("AP", 0.5),), ((0.5, AP(), 1),)):
        with pytest.raises(MeasureError, match="must be a pair of weight and measure"):
            MeasureSum(terms=terms)


def test_flags_of_a_custom_measure_parse_back() -> None:
    class Flagged(Measure):
        flag: bool = True

        def evaluate(self, scores, grades, offsets):
            return np.zeros(offsets.size - 1)

    try:
        assert parse(Flagged(flag=False).name).flag is False
    finally:
        del Measure.registry["flagged"]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("n", [3, 300])
def test_a_score_that_is_nan_is_an_error(name: str, n: int) -> None:
    """In each method that takes scores; a sort would leave ranks unwritten."""
    bound = parse(name).bind(np.arange(2.0 * n) % 2, np.array([0, n, 2 * n]))
    scores = np.zeros(2 * n)
    scores[n + 2] = np.nan
    for method, widths in (("evaluate", ()), ("lambdas", ()), ("most_violated", ()), ("smooth", (1.0,))):
        if method == "evaluate" or bound.has(method):
            with pytest.raises(MeasureError, match=r"the score of document 2 of query 1 \(counted from 0\) is NaN"):
                getattr(bound, method)(scores, *widths)


def test_integer_scores_that_would_become_ties_are_an_error() -> None:
    bound = AP().bind(np.array([0.0, 1.0]), np.array([0, 2]))
    assert bound.evaluate(np.array([2**53 - 1, 2**53]))[0] == 1
    for scores in ([2**53, 2**53 + 1], [-(2**53), -(2**53) - 1], [-(2**63), 0]):
        with pytest.raises(MeasureError, match=r"scores are integers above 2\^53"):
            bound.evaluate(np.array(scores, np.int64))
    with pytest.raises(MeasureError, match=r"scores are integers above 2\^53"):
        bound.evaluate(np.array([2**53, 2**53 + 1], np.uint64))

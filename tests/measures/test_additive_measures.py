"""Sums over documents: which measures are, and real-valued gains, also below 0, by brute force."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import plain
import pytest
from hypothesis import given, strategies as st
from test_bound import GRADINGS, LABELLINGS, RANKINGS

from directrank import (
    CoordinateAscent,
    EnsembleSelection,
    LambdaMART,
    Measure,
    MeasureError,
    OneVsRestSVM,
    RankBoost,
    RankingData,
    RankSVM,
    SmoothRank,
    SVMRanker,
)
from directrank.datasets import make_ranking
from directrank.measures import ARP, MeasureSum, additive_alternative, known_names, parse
from directrank.measures.name_parser import measure_class
from directrank.measures.pairs.evaluated_swaps import EvaluatedSwaps
from directrank.measures.testing import SmallQuery, check_evaluate, check_lambdas, check_most_violated, small_queries


def weighted(*terms: tuple[float, plain.Plain]) -> plain.Plain:
    return lambda ranked, unranked: sum(weight * term(ranked, unranked) for weight, term in terms)


#: Additive measures and their definitions.
ADDITIVE = {
    "DCG(gain=linear)": plain.dcg("linear"),
    "DCG(gain=linear)@3": plain.dcg("linear", k=3),
    "DCG(gain=linear, discount=jarvelin)@4": plain.dcg("linear", "jarvelin", 4),
    "DCG(gain=linear, discount=none)@2": plain.dcg("linear", "none", 2),
    "RBP(gain=linear)": plain.rbp(gain="linear"),
    "RBP(p=0.5, gain=linear)@3": plain.rbp(0.5, k=3, gain="linear"),
    "ARP": plain.arp(),
    "0.7*DCG(gain=linear)@2 + 2.5*ARP": weighted((0.7, plain.dcg("linear", k=2)), (2.5, plain.arp())),
}
#: Those that learners may weigh with AUC, which compares gains.
SIGNED = [*ADDITIVE, "AUC", "0.5*DCG(gain=linear) + 0.5*AUC"]

gain = st.sampled_from([-2.0, -0.3, 0.0, 0.0, 0.4, 1.0, 2.7]) | st.floats(-3, 3).map(lambda g: round(g, 3))
score = st.sampled_from([-1.0, 0.0, 0.5, 2.0]) | st.floats(-2, 2)


def small_query(scores=score, least: int = 5):
    """A query longer than the longest cut-off."""
    return st.lists(st.tuples(scores, gain), min_size=least, max_size=5).map(
        lambda rows: SmallQuery(*(np.array(column, float) for column in zip(*rows, strict=True)))
    )


FEW = small_queries([-2.0, -0.3, 0.0, 0.4, 1.0, 2.7], count=60)


@pytest.mark.parametrize("name", ADDITIVE)
@given(query=small_query(score | st.just(-math.inf)))
def test_values_are_the_mean_over_all_orders_of_ties(name: str, query: SmallQuery) -> None:
    check_evaluate(parse(name), ADDITIVE[name], [query])


@pytest.mark.parametrize("name", ADDITIVE)
@given(query=small_query())
def test_lambdas_are_those_of_all_swaps(name: str, query: SmallQuery) -> None:
    check_lambdas(parse(name), [query])


@pytest.mark.parametrize("name", ADDITIVE)
@given(query=small_query())
def test_slacks_are_bounds(name: str, query: SmallQuery) -> None:
    check_most_violated(parse(name), [query], exact=False)


@pytest.mark.parametrize("name", ADDITIVE)
def test_many_small_queries(name: str) -> None:
    check_evaluate(parse(name), ADDITIVE[name], FEW)
    check_lambdas(parse(name), FEW)
    check_most_violated(parse(name), FEW, exact=False)


@pytest.mark.parametrize("name", ADDITIVE)
@given(grades=st.lists(gain, min_size=1, max_size=5))
def test_informative_is_that_some_rankings_have_other_values(name: str, grades: list[float]) -> None:
    bound = parse(name).bind(np.array(grades), np.array([0, len(grades)]))
    values = [bound.evaluate(np.array(ranks, float))[0] for ranks in itertools.permutations(range(len(grades)))]
    assert bound.informative.tolist() == [max(values) - min(values) > 1e-12]


@pytest.mark.parametrize("name", ADDITIVE)
@given(query=small_query(st.integers(-30, 30).map(lambda s: s / 10), least=1), sigma=st.sampled_from([0.137, 0.311, 1.017]))
def test_smoothed_values_and_their_gradients(name: str, query: SmallQuery, sigma: float) -> None:
    bound = parse(name).bind(query.grades, np.array([0, query.grades.size]))
    np.testing.assert_allclose(bound.smooth(query.scores, 1e-3).values, bound.evaluate(query.scores), atol=1e-12)
    if np.unique(query.scores).size < query.scores.size:
        return  # there are kinks where documents swap ranks
    for i, found in enumerate(bound.smooth(query.scores, sigma).gradient):
        steps = 1e-5 * sigma * (np.arange(query.scores.size) == i)
        rise = bound.smooth(query.scores + steps, sigma).values - bound.smooth(query.scores - steps, sigma).values
        assert found * sigma == pytest.approx(rise.sum() / 2e-5, abs=1e-5)


@pytest.mark.parametrize("name", SIGNED)
def test_long_queries_of_distinct_gains(name: str) -> None:
    """Against every swap evaluated; the default cut-offs of the pair loops do not matter here."""
    random = np.random.default_rng(0)
    offsets = np.array([0, 40, 41, 90])
    bound = parse(name).bind(random.normal(size=90), offsets)
    scores = random.permutation(90) / 10
    found, wanted = bound.lambdas(scores), EvaluatedSwaps(bound).lambdas(scores)
    np.testing.assert_allclose(found.gradient, wanted.gradient, atol=1e-11)
    np.testing.assert_allclose(found.hessian, wanted.hessian, atol=1e-11)


def is_linear(name: str) -> bool:
    """Whether values at random scores are linear in the grades."""
    random, measure = np.random.default_rng(0), parse(name)
    offsets, scores = np.array([0, 3, 9, 20]), random.normal(size=20)
    for _ in range(5):
        first, second = random.choice([0.0, 0.5, 1.0], (2, 20))
        both = measure.bind(first + 2 * second, offsets).evaluate(scores)
        apart = measure.bind(first, offsets).evaluate(scores) + 2 * measure.bind(second, offsets).evaluate(scores)
        if np.abs(both - apart).max() > 1e-9:
            return False
    return True


@pytest.mark.parametrize("name", [*RANKINGS, *LABELLINGS, *GRADINGS, *ADDITIVE])
def test_measures_that_are_linear_in_the_grades_are_additive(name: str) -> None:
    """Judged is linear too, as a constant: all documents with a grade are judged."""
    assert parse(name).additive == (is_linear(name) and not name.startswith("Judged"))


@pytest.mark.parametrize("name", [*RANKINGS, *LABELLINGS, *GRADINGS])
def test_all_other_measures_refuse_grades_below_0(name: str) -> None:
    measure, grades, offsets = parse(name), np.array([1.0, 0.0, -0.3, -2.0]), np.array([0, 4])
    if measure.sees_unjudged or measure.takes_negative_grades:
        assert measure.bind(grades, offsets).evaluate(np.zeros(4)).size == 1
        return
    refusing = measure.terms[0][1] if isinstance(measure, MeasureSum) else measure
    sentence = (
        f"{refusing.name} takes grades of at least 0, and row 2 has -0.3; gains estimated from clicks are for measures that "
        "are sums over documents, such as DCG(gain=linear)@10"
    )
    with pytest.raises(MeasureError, match=f"^{re.escape(sentence)}$"):
        measure.bind(grades, offsets)
    with pytest.raises(MeasureError, match=re.escape(sentence)):
        measure.evaluate(np.zeros(4), grades, offsets)


def test_a_sum_with_a_measure_of_unjudged_documents_takes_grades_below_0_as_such() -> None:
    both = parse("0.5*DCG(gain=linear) + 0.5*Bpref")
    assert not both.additive and not both.takes_negative_grades and both.sees_unjudged
    at = np.array([3.0, 2.0, 1.0]), np.array([1.0, -1.0, 0.0]), np.array([0, 3])
    assert both.evaluate(*at) == pytest.approx(0.5 * 1 + 0.5 * parse("Bpref").evaluate(*at))


def test_which_measures_take_grades_below_0() -> None:
    assert all(parse(name).takes_negative_grades for name in SIGNED)
    assert not any(
        parse(name).takes_negative_grades for name in ("AUC(rel=2)", "AUC(grade=1)", "MAUC", "nDCG", "DCG", "RBP")
    )


def test_a_subclass_with_its_own_evaluate_is_additive_only_if_it_says_so() -> None:
    class _Squared(ARP):
        def evaluate(self, scores, grades, offsets):
            return super().evaluate(scores, grades, offsets) ** 2

    class _Doubled(ARP):
        additive = True

        def evaluate(self, scores, grades, offsets):
            return 2 * super().evaluate(scores, grades, offsets)

    assert not _Squared().additive and not _Squared().takes_negative_grades and _Doubled().takes_negative_grades
    at = np.array([2.0, 1.0]), np.array([-1.0, 1.0]), np.array([0, 2])
    assert _Doubled().bind(*at[1:]).evaluate(at[0]).tolist() == (2 * ARP().evaluate(*at)).tolist() == [-1.0]
    assert MeasureSum(terms=((1.0, _Doubled()), (1.0, ARP()))).additive


def test_average_rank_is_the_mean_rank_of_the_relevant_documents() -> None:
    random = np.random.default_rng(0)
    ranks, grades = np.argsort(np.argsort(random.random(30))) + 1, (random.random(30) < 0.3).astype(float)
    found = ARP().evaluate(-ranks.astype(float), grades, np.array([0, 30]))[0]
    assert 31 - 30 * found / grades.sum() == pytest.approx(ranks[grades > 0].mean())


def test_cumulative_gain_is_k_times_precision() -> None:
    random = np.random.default_rng(0)
    at = np.round(random.normal(size=30), 1), (random.random(30) < 0.3).astype(float), np.array([0, 12, 30])
    np.testing.assert_allclose(parse("DCG(gain=linear, discount=none)@5").evaluate(*at), 5 * parse("P@5").evaluate(*at))


NEAREST = {
    "nDCG@10": "DCG(gain=linear)@10",
    "nDCG(discount=jarvelin)": "DCG(gain=linear, discount=jarvelin)",
    "DCG(discount=none)@3": "DCG(gain=linear, discount=none)@3",
    "DCG(gain=linear)@7": "DCG(gain=linear)@7",
    "AP": "DCG(gain=linear)",
    "AP(rel=2)@100": "DCG(gain=linear)@100",
    "RR": "DCG(gain=linear)@10",
    "RR@3": "DCG(gain=linear)@3",
    "ERR": "DCG(gain=linear)@10",
    "P@5": "DCG(gain=linear, discount=none)@5",
    "P@2p": "DCG(gain=linear, discount=none)@10",
    "R@20": "DCG(gain=linear, discount=none)@20",
    "Success@1": "DCG(gain=linear, discount=none)@1",
    "IPrec@1": "DCG(gain=linear)",
    "RBP(p=0.95)@4": "RBP(p=0.95, gain=linear)@4",
    "AUC": "ARP",
    "MAUC": "ARP",
    "0.7*nDCG@10 + 0.3*AUC": "0.7*DCG(gain=linear)@10 + 0.3*ARP",
}


@pytest.mark.parametrize("name", NEAREST)
def test_the_additive_measure_nearest_to_another(name: str) -> None:
    assert additive_alternative(parse(name)) == parse(NEAREST[name])


def test_alternatives_are_additive_and_only_measures_of_labels_sets_and_judgments_have_none() -> None:
    lacking = set()
    for name in [*RANKINGS, *LABELLINGS, *GRADINGS]:
        found = additive_alternative(parse(name))
        if found is None:
            lacking.add(type(parse(name)).__name__)
        else:
            assert found.additive and additive_alternative(found) == found
    contingency = {type(parse(name)).__name__ for name in LABELLINGS}
    assert lacking == {*contingency, "MicroPrecision", "MacroPrecision", "Judged", "SetP", "SetR", "SetF"}
    assert additive_alternative(parse("0.5*AP + 0.5*F1")) is None

    class Bare:
        def evaluate(self, scores, grades, offsets):
            return np.zeros(offsets.size - 1)

    assert additive_alternative(Bare()) is None


def test_names_of_alternatives_parse() -> None:
    named = [measure_class(name).nearest_additive for name in known_names()]
    assert all(parse(name).additive for name in named if isinstance(name, str))


def test_parameters() -> None:
    for wrong, sentence in [
        ("RBP(rel=2, gain=linear)", "RBP takes rel or gain=linear, not both"),
        ("RBP(gain=exp)", "RBP: gain must be binary or linear, not 'exp'"),
        ("DCG(discount=log)", "DCG: discount must be log2, jarvelin or none, not 'log'"),
        ("ARP@10", "ARP has no cut-off"),
    ]:
        with pytest.raises(MeasureError, match=sentence):
            parse(wrong)
    for name in ("DCG(gain=linear)", "RBP(gain=linear)", "ARP"):
        for huge in (2e301, -2e301):
            with pytest.raises(MeasureError, match=re.escape(f"{name}: gains up to 2e+301 are too large to be summed")):
                parse(name).bind(np.array([huge, 0.0]), np.array([0, 2])).evaluate(np.zeros(2))
    assert [parse(name).gain_formula for name in ("RBP", "RBP(gain=linear)", "ARP")] == [None, "linear", "linear"]


# Learners

DATA = make_ranking(8, documents=(6, 12), random_state=0)
NOISE = np.random.default_rng(0).random(DATA.y.size)
GAINS = np.where(NOISE < 0.5, DATA.y / 0.7, 0.0) - 0.3 * NOISE


@pytest.mark.parametrize(
    "learner",
    [
        lambda measure: SVMRanker(measure, C=1.0),
        lambda measure: LambdaMART(measure, n_estimators=3, min_child_samples=2),
        lambda measure: SmoothRank(measure),
        lambda measure: CoordinateAscent(measure),
        lambda measure: EnsembleSelection(measure, n_estimators=3),
        lambda measure: RankBoost(measure, n_estimators=3),
    ],
)
def test_learners_take_gains_below_0_for_additive_measures_only(learner) -> None:
    data = RankingData(DATA.X, GAINS, DATA.qid)
    for name in ("DCG(gain=linear)@3", "ARP", "DCG(gain=linear, discount=none)@2"):
        model = learner(name).fit(data.X, data.y, data.qid, eval_set=(data.X, data.y, data.qid))
        best = parse(name).bind(*sorted_by_query()).evaluate(sorted_by_query()[0]).mean()
        tied = parse(name).bind(*sorted_by_query()).evaluate(np.zeros(GAINS.size)).mean()
        assert tied < model.score(data.X, data.y, data.qid) <= best + 1e-9
    row = int(np.argmax(GAINS < 0))
    with pytest.raises(MeasureError, match=f"^AP takes grades of at least 0, and row {row} has {GAINS[row]:g}; gains estim"):
        learner("AP").fit(data.X, data.y, data.qid)


def sorted_by_query() -> tuple[np.ndarray, np.ndarray]:
    queries = RankingData(DATA.X, GAINS, DATA.qid).by_query()
    return queries.to_query_order(GAINS), queries.offsets


def test_learners_with_measures_of_their_own() -> None:
    """RankSVM compares gains; with one class for each grade, OneVsRestSVM cannot."""
    shifted = RankSVM(C=1.0).fit(DATA.X, DATA.y - 1, DATA.qid)
    np.testing.assert_allclose(shifted.coef_, RankSVM(C=1.0).fit(DATA.X, DATA.y, DATA.qid).coef_, atol=1e-9)
    with pytest.raises(MeasureError, match=r"^MAUC takes grades of at least 0, and row"):
        OneVsRestSVM(C=1.0).fit(DATA.X, GAINS, DATA.qid)


def test_a_shift_of_all_gains_changes_no_gradient() -> None:
    for name in ADDITIVE:
        bound, shifted = (parse(name).bind(GAINS + shift, np.array([0, GAINS.size])) for shift in (0.0, 5.0))
        scores = np.round(NOISE * 7 % 1, 2)
        np.testing.assert_allclose(shifted.lambdas(scores), bound.lambdas(scores), atol=1e-10)
        np.testing.assert_allclose(shifted.most_violated(scores).losses, bound.most_violated(scores).losses, atol=1e-10)


def test_measures_of_users_may_be_additive() -> None:
    class _Top(Measure):
        additive = True

        def evaluate(self, scores, grades, offsets):
            return grades[offsets[:-1]]

    bound = _Top().bind(np.array([-1.0, 2.0]), np.array([0, 2]))
    assert bound.evaluate(np.array([2.0, 1.0])).tolist() == [-1.0] and bound.informative.tolist() == [True]

"""Custom measures of the contingency table: one function, and Joachims' Algorithm 2 for it, pruned."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st
from peak_memory import peak_memory

from directrank import ContingencyMeasure, MeasureError, MultivariateSVC, SVMRanker, evaluate
from directrank.datasets import make_ranking
from directrank.measures import MCC, F, GMean, Jaccard, Measure, parse
from directrank.measures.violations import contingency_tables


class _Overlap(ContingencyMeasure):
    """The Jaccard index, as a user writes it."""

    def value(self, a, b, c, d):
        return a / (a + b + c)


class _Noise(ContingencyMeasure):
    """Of no shape at all, but that the right labels are best: not monotone, beyond [0, 1], not defined for some tables."""

    seed: int = 0

    def value(self, a, b, c, d):
        wild = 3 * np.sin(1 + self.seed + 12.9898 * a + 78.233 * b + 37.719 * a * b)
        return np.where((b == 0) & (c == 0), 3.0, np.where(wild > 2.8, np.nan, wild))


class _Steps(ContingencyMeasure):
    """With large plateaus: many tables are equally good."""

    def value(self, a, b, c, d):
        return np.floor(3 * a / (a + c)) - np.floor(3 * b / (b + d + 1))


MINE = [_Overlap(), _Noise(), _Noise(seed=1), _Noise(seed=2), _Steps(), MCC(), GMean()]
score = st.sampled_from([-2.0, -0.5, 0.0, 0.25, 1.0]) | st.floats(-3, 3)


def violation_by_all_labellings(measure: Measure, scores: np.ndarray, grades: np.ndarray) -> float:
    n, offsets, right = grades.size, np.array([0, grades.size]), np.where(grades > 0, 1.0, -1.0)
    best = measure.evaluate(right, grades, offsets)[0]
    labellings = (np.array(labels) for labels in itertools.product([-1.0, 1.0], repeat=n))
    return max(best - measure.evaluate(y, grades, offsets)[0] - (right - y) / n @ scores for y in labellings)


@pytest.mark.parametrize("measure", MINE, ids=str)
@given(documents=st.lists(st.tuples(score, st.integers(0, 1)), min_size=1, max_size=8))
def test_no_labelling_violates_more(measure: Measure, documents: list[tuple[float, int]]) -> None:
    scores, grades = (np.array(column, float) for column in zip(*documents, strict=True))
    offsets = np.array([0, grades.size])
    bound = measure.bind(grades, offsets)
    coefficients, losses = bound.most_violated(scores)
    if not bound.informative[0]:
        assert not coefficients.any() and losses[0] == 0
        return
    assert losses[0] - coefficients @ scores == pytest.approx(violation_by_all_labellings(measure, scores, grades), abs=1e-9)
    # It is that of a labelling.
    right = np.where(grades > 0, 1.0, -1.0)
    chosen = right - coefficients * grades.size
    assert np.isin(chosen, [-1, 1]).all()
    assert losses[0] == bound.evaluate(right)[0] - bound.evaluate(chosen)[0]


def algorithm_2(measure: ContingencyMeasure, scores: np.ndarray, grades: np.ndarray) -> float:
    """As it stands in the paper, over all tables."""
    positive, negative = (np.sort(scores[kind])[::-1] for kind in (grades > 0, grades == 0))
    a, b = np.meshgrid(np.arange(positive.size + 1.0), np.arange(negative.size + 1.0), indexing="ij")
    labelled = np.append(0, np.cumsum(positive))[:, None] + np.append(0, np.cumsum(negative))
    with np.errstate(invalid="ignore"):
        values = np.nan_to_num(measure.value(a, b, positive.size - a, negative.size - b))
    return float(np.max(values[-1, 0] - values + 2 / scores.size * (labelled - positive.sum())))


@pytest.mark.parametrize("measure", MINE, ids=str)
@pytest.mark.parametrize("size", [0.01, 1.0, 100.0, 2.0**48])
def test_of_a_long_set_against_the_paper_s_algorithm(measure: ContingencyMeasure, size: float) -> None:
    random = np.random.default_rng(6)
    grades = (random.random(1500) < 0.2).astype(float)
    scores = size * (random.standard_normal(1500) + grades)
    coefficients, losses = measure.bind(grades, np.array([0, 1500])).most_violated(scores)
    assert losses[0] - coefficients @ scores == pytest.approx(algorithm_2(measure, scores, grades), rel=1e-9)


@pytest.mark.parametrize("name", ["Jaccard", "F1", "F(beta=0.3)", "F(beta=3)", "BalancedAccuracy", "Accuracy"])
def test_fast_oracles_equal_the_search_over_all_tables(name: str) -> None:
    random, measure = np.random.default_rng(7), parse(name)
    for n, size in itertools.product((2, 30, 700), (0.1, 1.0, 30.0)):
        grades = np.append([1.0, 0.0], random.random(n) < 0.3)
        scores = size * (random.standard_normal(n + 2) + grades)
        coefficients, losses = measure.bind(grades, np.array([0, n + 2])).most_violated(scores)
        assert losses[0] - coefficients @ scores == pytest.approx(algorithm_2(measure, scores, grades), abs=1e-9)


def test_results_do_not_depend_on_the_batch_size(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(8)
    offsets = np.concatenate(([0], np.cumsum(random.integers(0, 90, 40))))
    scores, grades = random.standard_normal(offsets[-1]), random.integers(0, 2, offsets[-1]).astype(float)
    for measure in MINE:
        found = measure.bind(grades, offsets).most_violated(scores)
        with monkeypatch.context() as patch:
            patch.setattr(contingency_tables, "MAX_TABLES_AT_ONCE", 5)
            bit_by_bit = measure.bind(grades, offsets).most_violated(scores)
        np.testing.assert_array_equal(np.hstack(found), np.hstack(bit_by_bit))


def test_most_tables_are_ruled_out_and_none_are_kept() -> None:
    random, n_computed = np.random.default_rng(9), []

    class _Counting(MCC):
        def value(self, a, b, c, d):
            n_computed.append(a.size)
            return super().value(a, b, c, d)

    grades = np.zeros(20_000)
    grades[:500] = 1
    scores = random.standard_normal(20_000) + grades
    n_tables = 501 * 19_501
    with peak_memory() as peak:
        bound = _Counting().bind(grades, np.array([0, 20_000]))
        assert bound.informative[0] and n_tables <= sum(n_computed) <= n_tables + 1
        n_computed.clear()
        bound.most_violated(scores)
    assert peak.n_bytes < n_tables
    assert sum(n_computed) < n_tables / 50


@pytest.fixture
def registry():
    """Forget the measures that a test defines."""
    before = dict(Measure.registry)
    yield
    Measure.registry.clear()
    Measure.registry.update(before)


@pytest.mark.usefixtures("registry")
def test_one_function_is_enough_to_evaluate_and_to_learn() -> None:
    class Overlap(_Overlap):
        pass

    data = make_ranking(30, noise=0.2, random_state=2)
    y = (data.y > 0).astype(int)
    model, shipped = (MultivariateSVC(measure, C=0.1).fit(data.X, y) for measure in ("Overlap", "Jaccard"))
    assert model.gap_ <= model.tol and model.slack_ == pytest.approx(shipped.slack_, abs=2 * model.tol)
    assert 1 - model.measure_score(data.X, y) <= model.slack_ + 1e-9
    scores = model.decision_function(data.X)
    assert evaluate(y, scores, measures=[Overlap(), "Overlap(rel=1)"]).means["Overlap"] == pytest.approx(
        evaluate(y, scores, measures="Jaccard")["Jaccard"]
    )
    ranker = SVMRanker(Overlap, C=100.0).fit(data.X, data.y, data.qid)
    assert ranker.coef_.any() and 1 - ranker.score(data.X, data.y, data.qid) <= ranker.slack_ + 1e-9


@pytest.mark.parametrize("name", ["Jaccard", "BalancedAccuracy", "GMean", "MCC"])
def test_learning_a_measure_raises_it(name: str) -> None:
    """With few positives, more of them missed by the ordinary SVM."""
    random = np.random.default_rng(0)
    X = random.standard_normal((600, 4))
    y = (X[:, 0] + X[:, 1] + 0.5 * random.standard_normal(600) > 1.5).astype(int)
    model, ordinary = (MultivariateSVC(measure, C=0.1, tol=1e-5).fit(X, y) for measure in (name, "Accuracy"))
    value = evaluate(y, ordinary.decision_function(X), measures=name)[name]
    assert model.measure_score(X, y) > value + 0.01
    assert 1 - model.measure_score(X, y) <= model.slack_ + 1e-9


def test_nan_counts_0_and_infinite_values_are_an_error() -> None:
    class _Precision(ContingencyMeasure):
        def value(self, a, b, c, d):
            return a / (a + b)

    class _Odds(ContingencyMeasure):
        def value(self, a, b, c, d):
            return a * d / (b * c)

    assert evaluate([1, 0], [-1, -1], measures=_Precision())["_Precision"] == 0
    assert evaluate([0, 0], [1, 1], measures=_Precision())["_Precision"] == 0

    class _PerRelevant(ContingencyMeasure):
        def value(self, a, b, c, d):
            return (a + d) / (a + c)

    one_has_none = _PerRelevant().bind(np.array([0.0, 0.0, 1.0, 0.0]), np.array([0, 2, 4]))
    assert one_has_none.evaluate(np.array([1.0, -1.0, 1.0, -1.0])).tolist() == [0, 2]
    assert one_has_none.informative.tolist() == [False, True]
    assert one_has_none.most_violated(np.zeros(4)).losses.tolist() == [0, 2]

    with pytest.raises(MeasureError, match="_Odds: the value of a=1, b=0, c=0, d=1 is infinite; it must be a number"):
        evaluate([1, 0], [1, -1], measures=_Odds())
    with pytest.raises(MeasureError, match="_Odds: the value of a=1, b=0, "):
        MultivariateSVC(_Odds()).fit(np.eye(4), [0, 1, 0, 1])


def test_a_scalar_function_is_an_error() -> None:
    class _Constant(ContingencyMeasure):
        def value(self, a, b, c, d):
            return 0.5

    sentence = r"_Constant: value\(a, b, c, d\) must give an array of as many values as there are tables, 1, not one of the"
    with pytest.raises(MeasureError, match=sentence):
        evaluate([1, 0], [1, -1], measures=_Constant())


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (lambda a, b, c, d: a / (a + b) if a + b > 0 else 0.0, "The truth value of an array"),
        (lambda a, b, c, d: ["high"] * a.size, "Cannot cast"),
        (lambda a, b, c, d: a + 1j * b, "Cannot cast"),
        (lambda a, b, c, d: [[1.0], []] * a.size, "setting an array element"),
    ],
)
def test_results_that_are_not_numbers_are_an_error(value, reason: str) -> None:
    class _Mine(ContingencyMeasure):
        pass

    _Mine.value = lambda _, a, b, c, d: value(a, b, c, d)
    with pytest.raises(MeasureError, match=f"_Mine: value.* takes arrays .* use np.where in place of if; .*{reason}"):
        MultivariateSVC(_Mine()).fit(np.eye(4), [0, 1, 0, 1])


def test_counts_and_numbers_of_any_kind_are_values() -> None:
    class _Right(ContingencyMeasure):
        def value(self, a, b, c, d):
            return (b + c == 0) if self.rel is None else (a + d).astype(object)

    right = [1, -1, 1]
    assert evaluate([1, 0, 2], right, measures=_Right())["_Right"] == 1
    assert evaluate([1, 0, 2], right, measures=_Right(rel=1))["_Right(rel=1)"] == 3


def test_a_measure_for_which_lower_is_better_is_not_learned() -> None:
    class _ErrorRate(ContingencyMeasure):
        def value(self, a, b, c, d):
            return (b + c) / (a + b + c + d)

    y = [0, 1, 0, 1, 0]
    assert evaluate(y, [1, 1, -1, -1, -1], measures=_ErrorRate())["_ErrorRate"] == 0.4
    sentence = (
        "_ErrorRate: with 2 relevant and 3 other documents the right labels have the value 0, and other labels 1; "
        "higher must be better"
    )
    with pytest.raises(MeasureError, match=sentence):
        MultivariateSVC(_ErrorRate()).fit(np.eye(5), y)


def test_the_function_is_asked_for_and_the_base_has_no_name() -> None:
    class _Nothing(ContingencyMeasure):
        pass

    for kind in (ContingencyMeasure, _Nothing):
        with pytest.raises(MeasureError, match=f"{kind.__name__} is not a measure yet: give it a method value"):
            kind()
    with pytest.raises(MeasureError, match="there is no measure 'ContingencyMeasure'"):
        parse("ContingencyMeasure")


def test_a_subclass_with_its_own_value_does_not_inherit_closed_forms() -> None:
    class _HalfF(F):
        def value(self, a, b, c, d):
            return super().value(a, b, c, d) / 2

    class _Other(Jaccard):
        def evaluate(self, scores, grades, offsets):
            return super().evaluate(scores, grades, offsets) / 2

    random = np.random.default_rng(3)
    scores, grades = random.standard_normal(7), np.array([1.0, 0, 1, 0, 0, 1, 0])
    coefficients, losses = _HalfF().bind(grades, np.array([0, 7])).most_violated(scores)
    assert losses[0] - coefficients @ scores == pytest.approx(violation_by_all_labellings(_HalfF(), scores, grades))
    assert not hasattr(_Other().bind(grades, np.array([0, 7])), "most_violated")
    with pytest.raises(MeasureError, match="MultivariateSVC needs most_violated, which _Other does not have"):
        MultivariateSVC(_Other()).fit(np.eye(7), grades)

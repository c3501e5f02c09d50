"""Values printed in papers, set-wise measures, and edge cases of the definitions."""

from __future__ import annotations

import numpy as np
import pytest

from directrank import MeasureError, evaluate
from directrank.measures import Accuracy, parse

# Yue et al. 2007, tables 1 and 3: relevance of each document, and two models that rank them forward and backward.
TOY_1 = [1, 0, 0, 0, 0, 1, 1, 0]
TOY_3 = [1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0]


def forward(relevance: list[int]) -> np.ndarray:
    return np.arange(len(relevance), 0, -1.0)


@pytest.mark.parametrize(
    ("relevance", "direction", "published"),
    [
        (TOY_1, 1, {"MAP": 0.59, "ROCArea": 0.47}),
        (TOY_1, -1, {"MAP": 0.51, "ROCArea": 0.53}),
    ],
)
def test_table_2_of_yue(relevance: list[int], direction: int, published: dict[str, float]) -> None:
    result = evaluate(relevance, direction * forward(relevance), measures=list(published))
    assert [round(value, 2) for value in result.means.values()] == list(published.values())


@pytest.mark.parametrize(("direction", "published"), [(1, 0.70), (-1, 0.64)])
def test_table_4_of_yue_divides_by_4_where_5_are_relevant(direction: int, published: float) -> None:
    """A slip of the paper: by its own definition the values are 0.56 and 0.51; times 5/4 they are those it prints."""
    value = evaluate(TOY_3, direction * forward(TOY_3), measures="MAP")["MAP"]
    assert round(value, 2) == {1: 0.56, -1: 0.51}[direction]
    assert round(value * sum(TOY_3) / 4, 2) == published


@pytest.mark.parametrize(("direction", "published"), [(1, 0.64), (-1, 0.73)])
def test_best_accuracy_of_table_4(direction: int, published: float) -> None:
    scores = direction * forward(TOY_3)
    thresholds = np.append(np.unique(scores) - 0.5, scores.max() + 0.5)
    best = max(evaluate(TOY_3, scores - threshold, measures=Accuracy)["Accuracy"] for threshold in thresholds)
    assert round(best, 2) == published


def test_the_older_discount_gives_ranks_1_and_2_the_same_weight() -> None:
    def of_rank(rank: int, name: str) -> float:
        return evaluate(np.eye(4)[rank - 1], [4, 3, 2, 1], measures=name)[name]

    assert [of_rank(r, "DCG(discount=jarvelin)") for r in (1, 2, 4)] == [1, 1, 0.5]
    assert of_rank(1, "DCG") == 1 and of_rank(3, "DCG") == 0.5


def test_exponential_gain_is_the_default() -> None:
    assert evaluate([3], [1], measures="DCG")["DCG"] == 7
    assert evaluate([3], [1], measures="DCG(gain=linear)")["DCG(gain=linear)"] == 3


def test_gains_that_overflow_are_rejected() -> None:
    with pytest.raises(MeasureError, match=r"nDCG@10: the gain 2\^5000 is beyond what a float holds; use gain=linear"):
        evaluate([5000, 0], [1, 2], measures="nDCG@10")
    assert 0 < evaluate([5000, 0], [1, 2], measures="nDCG(gain=linear)")["nDCG(gain=linear)"] < 1
    for measure in ("nDCG(gain=linear)", "DCG(gain=linear)@10"):
        with pytest.raises(MeasureError, match=r"gains up to 1e\+308 are too large to be summed; scale the grades"):
            evaluate([1e308, 0.0, 1e308], [1.0, 2.0, 3.0], measures=measure)
    assert 0.6 < evaluate([1e300, 0.0], [1.0, 2.0], measures="nDCG(gain=linear)")["nDCG(gain=linear)"] < 1


def test_err_needs_the_scale_of_the_grades() -> None:
    with pytest.raises(MeasureError, match=r"the data has grade 5; use ERR\(max_grade=5\)"):
        evaluate([5, 0], [1, 2], measures="ERR@10")


RANKED = ["AP", "nDCG", "RR", "P@2", "R@2", "Success@2", "Rprec", "AUC", "AUPRC", "MAUC", "ERR", "PRBEP", "DCG", "microP@2"]


@pytest.mark.parametrize("name", [*RANKED, "F1", "Jaccard", "BalancedAccuracy", "GMean", "MCC"])
def test_a_query_without_relevant_documents_counts_0(name: str) -> None:
    result = evaluate([0, 0, 1, 0], [2, -1, 2, -1], [1, 1, 2, 2], name)
    values = next(iter(result.per_query.values()))
    assert values[0] == 0 and values[1] > 0
    assert list(result.no_relevant.values()) == [1]


def test_accuracy_does_not_need_relevant_documents() -> None:
    assert evaluate([0, 0], [-1, 1], measures="Accuracy")["Accuracy"] == 0.5


def test_rel_is_the_smallest_relevant_grade() -> None:
    result = evaluate([0.5, 2, 0], [3, 2, 1], measures=["RR", "RR(rel=1)", "RR(rel=3)"])
    assert result.means == {"RR": 1.0, "RR(rel=1)": 0.5, "RR(rel=3)": 0.0}
    assert result.no_relevant == {"RR": 0, "RR(rel=1)": 0, "RR(rel=3)": 1}


def test_unranked_documents_count_as_missed() -> None:
    y, scores = [1, 0, 1], [1.0, 2.0, -np.inf]
    means = evaluate(y, scores, measures=["AP", "R@3", "RR", "P@3", "Success@3"]).means
    assert means == {"AP": 0.25, "R@3": 0.5, "RR": 0.5, "P@3": 1 / 3, "Success@3": 1.0}
    assert evaluate([1, 0], [-np.inf, 1.0], measures="Success@9")["Success@9"] == 0


def test_setwise_measures_label_by_the_sign() -> None:
    y, scores = [1, 1, 1, 0, 0, 0, 0], [3.0, 0.1, -1, 2, 0, -1, -2]  # TP 2, FP 1, FN 1
    means = evaluate(y, scores, measures=["Accuracy", "F1", "F(beta=2)", "PRBEP", "P@2", "R@2"]).means
    assert means["Accuracy"] == pytest.approx(5 / 7)
    assert means["F1"] == pytest.approx(2 / 3)
    assert means["F(beta=2)"] == pytest.approx(5 * 2 / (5 * 2 + 1 + 4 * 1))
    assert means["PRBEP"] == pytest.approx(2 / 3)
    assert means["P@2"] == 0.5 and means["R@2"] == pytest.approx(1 / 3)


def test_measures_of_the_contingency_table() -> None:
    y, scores = [1, 1, 1, 0, 0, 0, 0], [3.0, 0.1, -1, 2, 0, -1, -2]  # a 2, b 1, c 1, d 3
    means = evaluate(y, scores, measures=["Jaccard", "BalancedAccuracy", "GMean", "MCC"]).means
    assert means["Jaccard"] == 2 / 4
    assert means["BalancedAccuracy"] == pytest.approx((2 / 3 + 3 / 4) / 2)
    assert means["GMean"] == pytest.approx((2 / 3 * 3 / 4) ** 0.5)
    assert means["MCC"] == pytest.approx((2 * 3 - 1 * 1) / (3 * 3 * 4 * 4) ** 0.5)


@pytest.mark.parametrize("name", ["BalancedAccuracy", "GMean", "MCC"])
def test_measures_of_two_classes_are_0_without_one_of_them(name: str) -> None:
    assert evaluate([1, 1], [1, 1], measures=name)[name] == evaluate([1, 1], [1, -1], measures=name)[name] == 0


def test_correlation_is_0_where_all_labels_are_alike() -> None:
    assert evaluate([1, 0, 1], [1, 1, 1], measures="MCC")["MCC"] == 0
    assert evaluate([1, 0], [-1, 1], measures="MCC")["MCC"] == -1


def test_f_is_0_without_true_positives() -> None:
    assert evaluate([1, 0], [-1, -1], measures="F1")["F1"] == 0
    assert evaluate([0, 0], [-1, -1], measures="F1")["F1"] == 0


def test_pair_accuracy_over_the_pairs_of_all_queries() -> None:
    y, scores = np.array([2.0, 0, 1, 0, 2, 0, 1]), np.array([3.0, 4, 5, 1, 2, 1, 9])
    bound = parse("PairAccuracy(high=2, low=0)").bind(y, np.array([0, 4, 6, 7]))
    assert bound.evaluate(scores).tolist() == [0.5, 1, 0] and bound.pairs.tolist() == [2, 1, 0]
    assert np.average(bound.evaluate(scores), weights=bound.pairs) == pytest.approx(2 / 3)


def test_claims_of_the_docstring_of_auprc() -> None:
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 200)
    assert evaluate(y, np.zeros(200), measures="AUPRC")["AUPRC"] == pytest.approx(y.mean())
    for _ in range(20):
        found = evaluate(y, random.random(200), measures=["AP", "AUPRC"])
        assert found["AUPRC"] < found["AP"]
    assert evaluate([1, 1, 0], [3, 2, 1], measures="AUPRC")["AUPRC"] == 1


def test_auprc_between_the_points_of_davis_and_goadrich() -> None:
    """Their Table 2: from 5 true and 5 false positives to 10 and 30, of 20; precision after each of the five steps."""
    y = [1] * 5 + [0] * 5 + [1] * 5 + [0] * 25 + [1] * 10
    scores = [3] * 10 + [2] * 30 + [-np.inf] * 10
    precisions = [0.5, 0.375, 0.318, 0.286, 0.265, 0.25]
    area = 20 * evaluate(y, scores, measures="AUPRC")["AUPRC"] - 5 * 0.5
    assert sum(precisions[1:]) < area < sum(precisions[:-1])
    assert area == pytest.approx(np.trapezoid(precisions), rel=0.02)

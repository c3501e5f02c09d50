"""Against scikit-learn's metrics, over one set."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn import metrics

from directrank import evaluate
from directrank.evaluation import precision_recall_points, roc_points

labels = st.lists(st.tuples(st.integers(0, 1), st.integers(-3, 3)), min_size=2, max_size=30)
graded = st.lists(st.tuples(st.integers(0, 4), st.integers(-3, 3)), min_size=2, max_size=30)


def ours(name: str, y: list[float], scores: list[float]) -> float:
    return next(iter(evaluate(y, scores, measures=name).means.values()))


@given(labels.filter(lambda rows: len({y for y, _ in rows}) == 2))
def test_curves(rows: list[tuple[int, int]]) -> None:
    y, scores = zip(*rows, strict=True)
    evaluation = evaluate(y, scores)
    found = roc_points(evaluation)[0]
    for mine, theirs in zip(found, metrics.roc_curve(y, scores, drop_intermediate=False), strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-12)
    assert metrics.auc(*found[:2]) == pytest.approx(ours("AUC", y, scores), abs=1e-12)
    points = precision_recall_points(evaluation)[0]
    precision, recall, thresholds = metrics.precision_recall_curve(y, scores)
    np.testing.assert_allclose(points.precision, precision[-2::-1], atol=1e-12)  # the last is at a recall of 0
    np.testing.assert_allclose(points.recall, recall[-2::-1], atol=1e-12)
    np.testing.assert_array_equal(points.thresholds, thresholds[::-1])


@given(labels.filter(lambda rows: len({y for y, _ in rows}) == 2))
def test_roc_area_with_ties(rows: list[tuple[int, int]]) -> None:
    y, scores = zip(*rows, strict=True)
    assert ours("AUC", y, scores) == pytest.approx(metrics.roc_auc_score(y, scores), abs=1e-12)


@given(graded.filter(lambda rows: any(y for y, _ in rows)), st.sampled_from([None, 1, 3, 10]))
def test_ndcg_and_dcg_with_ties(rows: list[tuple[int, int]], k: int | None) -> None:
    y, scores = zip(*rows, strict=True)
    at = f"@{k}" if k else ""
    assert ours(f"nDCG(gain=linear){at}", y, scores) == pytest.approx(metrics.ndcg_score([y], [scores], k=k), abs=1e-12)
    assert ours(f"DCG(gain=linear){at}", y, scores) == pytest.approx(metrics.dcg_score([y], [scores], k=k), abs=1e-12)
    gains = 2.0 ** np.array(y) - 1
    assert ours(f"nDCG{at}", y, scores) == pytest.approx(metrics.ndcg_score([gains], [scores], k=k), abs=1e-12)


@given(st.lists(st.integers(0, 1), min_size=1, max_size=30).filter(any), st.randoms(use_true_random=False))
def test_average_precision_without_ties(y: list[int], random) -> None:
    # scikit-learn takes the points of a tie as one threshold; the two agree where there is none.
    scores = random.sample(range(100), len(y))
    assert ours("AP", y, scores) == pytest.approx(metrics.average_precision_score(y, scores), abs=1e-12)


@given(graded.filter(lambda rows: any(y for y, _ in rows)))
def test_micro_and_macro_precision(rows: list[tuple[int, int]]) -> None:
    y = [grade for grade, _ in rows]
    predicted = [y[(i + shift) % len(y)] for i, (_, shift) in enumerate(rows)]
    classes = sorted(set(y) - {0})
    for name, average in (("MicroPrecision", "micro"), ("MacroPrecision", "macro")):
        theirs = metrics.precision_score(y, predicted, labels=classes, average=average, zero_division=0)
        assert ours(name, y, predicted) == pytest.approx(theirs, abs=1e-12)


@given(labels)
def test_labels(rows: list[tuple[int, int]]) -> None:
    y, scores = (np.array(column) for column in zip(*rows, strict=True))
    label = scores > 0
    assert ours("Accuracy", y, scores) == pytest.approx(metrics.accuracy_score(y, label), abs=1e-12)
    assert ours("F1", y, scores) == pytest.approx(metrics.f1_score(y, label, zero_division=0), abs=1e-12)
    assert ours("F(beta=2)", y, scores) == pytest.approx(metrics.fbeta_score(y, label, beta=2, zero_division=0), abs=1e-12)
    assert ours("Jaccard", y, scores) == pytest.approx(metrics.jaccard_score(y, label, zero_division=0), abs=1e-12)
    if np.ptp(y) > 0:  # of one class alone scikit-learn warns, and its balanced accuracy is that of the class
        assert ours("MCC", y, scores) == pytest.approx(metrics.matthews_corrcoef(y, label), abs=1e-12)
        assert ours("BalancedAccuracy", y, scores) == pytest.approx(metrics.balanced_accuracy_score(y, label), abs=1e-12)

"""Every `most_violated` against exhaustive search over all outputs."""

from __future__ import annotations

import itertools

import numpy as np
import plain
import pytest
from hypothesis import given, strategies as st

from directrank import MeasureError, evaluate
from directrank.measures import Violation, average_rank, parse

score = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0]) | st.floats(-3, 3)


def queries(grades, most: int = 6):
    return st.lists(st.tuples(score, st.sampled_from(grades)), min_size=1, max_size=most)


def most_violated(name: str, scores: np.ndarray, grades: np.ndarray, offsets: np.ndarray | None = None) -> Violation:
    """Most violated output of a measure by name, for one query unless there are offsets."""
    return parse(name).bind(grades, np.array([0, grades.size]) if offsets is None else offsets).most_violated(scores)


def orders(n: int) -> list[np.ndarray]:
    """The rank (from 0) of each document in each ranking."""
    return [np.array(p) for p in itertools.permutations(range(n))]


def by_rank(grades: np.ndarray, ranks: np.ndarray) -> list[float]:
    return grades[np.argsort(ranks)].tolist()


def separated(relevant: np.ndarray, ranks: list[np.ndarray]) -> list[bool]:
    """Whether all relevant documents stand above all others in each ranking."""
    return [bool(r[relevant].max() < r[~relevant].min()) for r in ranks]


def pair_psi(relevant: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Yue's Psi as a coefficient of each document."""
    psi = np.zeros(relevant.size)
    for i, j in itertools.product(np.flatnonzero(relevant), np.flatnonzero(~relevant)):
        sign = 1 if ranks[i] < ranks[j] else -1
        psi[[i, j]] += np.array([sign, -sign]) / (relevant.sum() * (~relevant).sum())
    return psi


def check(
    name: str, documents: list[tuple[float, float]], values: list[float], psis: list[np.ndarray], is_right: list[bool]
) -> None:
    """`most_violated` returns the loss of an output and Psi(y*) - Psi(y^), and no output violates more.

    Psi(y*) is the mean over the outputs that are right; all of these have the highest value.
    """
    scores, grades = (np.array(column, float) for column in zip(*documents, strict=True))
    coefficients, losses = most_violated(name, scores, grades)
    right = np.mean([psi for psi, chosen in zip(psis, is_right, strict=True) if chosen], axis=0)
    assert all(value > max(values) - 1e-12 for value, chosen in zip(values, is_right, strict=True) if chosen)
    violations = [max(values) - value - (right - psi) @ scores for value, psi in zip(values, psis, strict=True)]
    assert losses[0] - coefficients @ scores == pytest.approx(max(violations), abs=1e-9)
    outputs = zip(values, psis, strict=True)
    assert any(abs(max(values) - v - losses[0]) < 1e-9 and np.allclose(right - psi, coefficients) for v, psi in outputs)


INTERLEAVED = {
    "AP": plain.ap(),
    "AP(rel=2)": plain.ap(rel=2),
    "AUPRC": lambda ranked, _: plain.auprc([float(-r) for r in range(len(ranked))], ranked),
    "nDCG": plain.ndcg(),
    "RR": plain.rr(),
    "RR@2": plain.rr(k=2),
    "P@1": plain.precision(1),
    "P(rel=2)@1": plain.precision(1, rel=2),
    "Success@1": plain.success(1),
}


@pytest.mark.parametrize("name", INTERLEAVED)
@given(data=st.data())
def test_rankings_by_pairs(name: str, data) -> None:
    documents = data.draw(queries([0.0, 0.0, 2.0] if name == "nDCG" else [0.0, 0.0, 1.0, 2.0]))
    grades = np.array([g for _, g in documents])
    relevant = parse(name).relevant(grades)
    if relevant.all() or not relevant.any():
        assert_nothing_to_learn(name, documents)
        return
    ranks = orders(grades.size)
    values = [INTERLEAVED[name](by_rank(grades, r), []) for r in ranks]
    check(name, documents, values, [pair_psi(relevant, r) for r in ranks], separated(relevant, ranks))


def minorant(discounts: np.ndarray) -> np.ndarray:
    """The largest convex function below, at each rank the lowest of all chords across it."""
    n = discounts.size
    chords = [
        [discounts[r]]
        + [discounts[a] + (discounts[b] - discounts[a]) * (r - a) / (b - a) for a in range(r) for b in range(r + 1, n)]
        for r in range(n)
    ]
    return np.array([min(values) for values in chords])


def in_steps(gains: np.ndarray, scores: np.ndarray, discounts: np.ndarray, is_cut: bool) -> float:
    """The most violated loss of a sum of gain times discount, step of gain by step of gain, over all rankings of each."""
    n = gains.size
    convex = np.append(minorant(np.append(discounts, [0.0] * is_cut)), np.zeros(n))[:n]
    discounts = np.append(discounts, np.zeros(n))[:n]
    ideal = np.sort(gains)[::-1] @ discounts
    total, lower = 0.0, 0.0
    for level in np.unique(gains):
        relevant = gains >= level
        if not relevant.all() and level > lower:
            weight = (level - lower) / ideal
            best = discounts[: relevant.sum()].sum()
            right = pair_psi(relevant, np.argsort(np.argsort(~relevant, kind="stable")))
            violations = [
                best - convex[ranks][relevant].sum() - best * (right - pair_psi(relevant, ranks)) @ scores
                for ranks in orders(gains.size)
            ]
            total += weight * max(violations)
        lower = level
    return total


def log2(k: int) -> np.ndarray:
    return 1 / np.log2(np.arange(2, k + 2))


# Gains, discounts up to the cut-off or the last rank, whether there is a cut-off, and the best value.
GAINS = {
    "nDCG": lambda g, n: (2**g - 1, log2(n), False, 1.0),
    "nDCG@1": lambda g, n: (2**g - 1, log2(1), True, 1.0),
    "nDCG@3": lambda g, n: (2**g - 1, log2(3), True, 1.0),
    "nDCG(gain=linear)@4": lambda g, n: (g, log2(4), True, 1.0),
    "nDCG(discount=jarvelin)": lambda g, n: (2**g - 1, 1 / np.log2(np.maximum(np.arange(1, n + 1), 2)), False, 1.0),
    "P@2": lambda g, n: ((g > 0) * 1.0, np.ones(2), True, min((g > 0).sum(), 2) / 2),
    "R@3": lambda g, n: ((g > 0) * 1.0, np.ones(3), True, min((g > 0).sum(), 3) / max((g > 0).sum(), 1)),
    "R@2p": lambda g, n: ((g > 0) * 1.0, np.ones(2 * (g > 0).sum()), True, 1.0),
}

# The same of measures that are not normalised: the best value is that of their own ideal ranking.
SUMS = {
    "DCG": lambda g, n: (2**g - 1, log2(n), False),
    "DCG(gain=linear)@3": lambda g, n: (g, log2(3), True),
    "DCG(gain=linear, discount=none)@2": lambda g, n: (g, np.ones(2), True),
    "RBP": lambda g, n: ((g > 0) * 1.0, 0.2 * 0.8 ** np.arange(n), False),
    "RBP(p=0.5, gain=linear)@2": lambda g, n: (g, 0.5 * 0.5 ** np.arange(2), True),
}


@pytest.mark.parametrize("name", GAINS)
@given(data=st.data())
def test_gain_times_discount(name: str, data) -> None:
    documents = data.draw(queries([0.0, 1.0, 2.0, 2.5], 5))
    scores, grades = (np.array(column, float) for column in zip(*documents, strict=True))
    gains, discounts, is_cut, best = GAINS[name](grades, grades.size)
    if np.ptp(gains) == 0:
        assert_nothing_to_learn(name, documents)
        return
    coefficients, losses = most_violated(name, scores, grades)
    assert losses[0] - coefficients @ scores == pytest.approx(best * in_steps(gains, scores, discounts, is_cut), abs=1e-9)
    # What the ranking by score loses is below the slack, whatever the scores.
    lost = evaluate(grades, grades, measures=name)[name] - evaluate(grades, scores, measures=name)[name]
    assert lost <= losses[0] - coefficients @ scores + 1e-9


@pytest.mark.parametrize("name", SUMS)
@given(data=st.data())
def test_sums_of_any_gains(name: str, data) -> None:
    """The slack is that of the gains above the lowest one, in units of the measure, and bounds what is lost."""
    lowest = [-1.5, -0.25] if parse(name).additive else []
    documents = data.draw(queries([0.0, 1.0, 2.0, 2.5, *lowest], 5))
    scores, grades = (np.array(column, float) for column in zip(*documents, strict=True))
    gains, discounts, is_cut = SUMS[name](grades, grades.size)
    if np.ptp(gains) == 0:
        assert_nothing_to_learn(name, documents)
        return
    coefficients, losses = most_violated(name, scores, grades)
    above = gains - gains.min()
    best = np.sort(above)[::-1][: discounts.size] @ discounts[: grades.size]
    slack = losses[0] - coefficients @ scores
    assert slack == pytest.approx(best * in_steps(above, scores, discounts, is_cut), abs=1e-9)
    bound = parse(name).bind(grades, np.array([0, grades.size]))
    assert bound.evaluate(gains)[0] - bound.evaluate(scores)[0] <= slack + 1e-9


@given(data=st.data(), negative=st.booleans())
def test_average_rank_over_all_labellings_of_pairs(data, negative: bool) -> None:
    documents = data.draw(queries([0.0, 1.0, 2.5, *([-0.75] * negative)], 5))
    grade = np.array([g for _, g in documents])
    pairs = [(i, j) for i, j in itertools.permutations(range(grade.size), 2) if grade[i] > grade[j]]
    if not pairs:
        assert_nothing_to_learn("ARP", documents)
        return
    best, weights = plain.arp()(sorted(grade, reverse=True), []), [(grade[i] - grade[j]) / grade.size for i, j in pairs]
    values, psis = [], []
    for signs in itertools.product([1, -1], repeat=len(pairs)):
        psi = np.zeros(grade.size)
        for (i, j), sign, weight in zip(pairs, signs, weights, strict=True):
            psi[i] += sign * weight
            psi[j] -= sign * weight
        values.append(best - sum(weight for sign, weight in zip(signs, weights, strict=True) if sign < 0))
        psis.append(psi)
    check("ARP", documents, values, psis, [signs_value > best - 1e-12 for signs_value in values])


@given(documents=queries([0.0, 1.0]))
def test_average_rank_of_two_grades_is_a_ranking(documents: list[tuple[float, float]]) -> None:
    grades = np.array([g for _, g in documents])
    relevant = grades > 0
    if 0 < relevant.sum() < relevant.size:
        ranks = orders(grades.size)
        values = [plain.arp()(by_rank(grades, r), []) for r in ranks]
        share = relevant.sum() * (~relevant).sum() / relevant.size
        check("ARP", documents, values, [share * pair_psi(relevant, r) for r in ranks], separated(relevant, ranks))


def test_average_rank_of_a_long_query_in_parts(monkeypatch) -> None:
    random = np.random.default_rng(0)
    scores, grades = random.normal(size=500), np.round(random.normal(size=500), 1)
    at_once = most_violated("ARP", scores, grades)
    monkeypatch.setattr(average_rank, "MAX_PAIRS_AT_ONCE", 7000)
    found = most_violated("ARP", scores, grades)
    np.testing.assert_allclose(found.coefficients, at_once.coefficients, atol=1e-12)
    np.testing.assert_allclose(found.losses, at_once.losses)
    hinges = np.maximum(grades[:, None] - grades, 0) / 500 * np.maximum(0, 1 - 2 * (scores[:, None] - scores))
    assert found.losses[0] - found.coefficients @ scores == pytest.approx(hinges.sum())


def labellings(n: int, exactly: int | None = None) -> list[np.ndarray]:
    all_of_them = [np.array(labels) for labels in itertools.product([-1.0, 1.0], repeat=n)]
    return [y for y in all_of_them if exactly is None or (y > 0).sum() == min(exactly, n)]


def f_beta(beta: float):
    def value(relevant: np.ndarray, label: np.ndarray) -> float:
        tp, fp, fn = (relevant & label).sum(), (~relevant & label).sum(), (relevant & ~label).sum()
        return (1 + beta**2) * tp / ((1 + beta**2) * tp + fp + beta**2 * fn)

    return value


def by_lists(value):
    return lambda relevant, label: value(relevant.tolist(), label.tolist())


LABELLED = {
    "Jaccard": (by_lists(plain.jaccard), False),
    "BalancedAccuracy": (by_lists(plain.balanced_accuracy), False),
    "GMean": (by_lists(plain.g_mean), False),
    "MCC": (by_lists(plain.mcc), False),
    "Accuracy": (lambda relevant, label: (relevant == label).mean(), False),
    "F1": (f_beta(1), False),
    "F(beta=2)": (f_beta(2), False),
    "F(beta=0.5)": (f_beta(0.5), False),
    "Rprec": (lambda relevant, label: (relevant & label).sum() / relevant.sum(), True),
    "PRBEP": (lambda relevant, label: (relevant & label).sum() / relevant.sum(), True),
}


@pytest.mark.parametrize("name", LABELLED)
@given(documents=queries([0.0, 1.0], 8))
def test_labellings(name: str, documents: list[tuple[float, float]]) -> None:
    value, exactly = LABELLED[name]
    relevant = np.array([g for _, g in documents]) > 0
    if name != "Accuracy" and (not relevant.any() or (relevant.all() and exactly)):
        assert_nothing_to_learn(name, documents)
        return
    if relevant.all() or not relevant.any():
        return
    allowed = labellings(relevant.size, int(relevant.sum()) if exactly else None)
    values = [value(relevant, y > 0) for y in allowed]
    check(name, documents, values, [y / relevant.size for y in allowed], [v > max(values) - 1e-12 for v in values])


@pytest.mark.parametrize("grades", [[0.0, 1.0], [0.0, 1.0, 2.0]])
@given(data=st.data())
def test_auc_over_all_labellings_of_pairs(grades: list[float], data) -> None:
    documents = data.draw(queries(grades, 5))
    grade = np.array([g for _, g in documents])
    pairs = [(i, j) for i, j in itertools.permutations(range(grade.size), 2) if grade[i] > grade[j]]
    if not pairs:
        assert_nothing_to_learn("AUC", documents)
        return
    values, psis = [], []
    for signs in itertools.product([1, -1], repeat=len(pairs)):
        psi = np.zeros(grade.size)
        for (i, j), sign in zip(pairs, signs, strict=True):
            psi[i] += sign / len(pairs)
            psi[j] -= sign / len(pairs)
        values.append(signs.count(1) / len(pairs))
        psis.append(psi)
    check("AUC", documents, values, psis, [value == 1 for value in values])


@given(documents=queries([0.0, 1.0]))
def test_auc_of_two_grades_is_a_ranking(documents: list[tuple[float, float]]) -> None:
    grades = np.array([g for _, g in documents])
    relevant = grades > 0
    if 0 < relevant.sum() < relevant.size:
        ranks = orders(grades.size)
        values = [plain.auc((-r).tolist(), grades.tolist()) for r in ranks]
        check("AUC", documents, values, [pair_psi(relevant, r) for r in ranks], separated(relevant, ranks))


@given(documents=queries([0.0, 1.0, 2.0]))
def test_pairs_of_two_grades_are_those_of_auc_without_the_others(documents: list[tuple[float, float]]) -> None:
    name, (scores, grades) = "PairAccuracy(high=2, low=0)", map(np.array, zip(*documents, strict=True))
    two = grades != 1
    found, wanted = most_violated(name, scores, grades), most_violated("AUC", scores[two], grades[two])
    np.testing.assert_array_equal(found.coefficients[two], wanted.coefficients)
    np.testing.assert_array_equal(found.losses, wanted.losses)
    assert not found.coefficients[~two].any()


def assert_nothing_to_learn(name: str, documents: list[tuple[float, float]]) -> None:
    scores, grades = (np.array(column, float) for column in zip(*documents, strict=True))
    coefficients, losses = most_violated(name, scores, grades)
    assert not coefficients.any() and losses[0] == 0


NAMES = [*INTERLEAVED, *GAINS, *LABELLED, "AUC", "AUC(rel=2)", "AUC(grade=1)", "PairAccuracy(high=2, low=0)"]


@pytest.mark.parametrize("name", [*NAMES, *SUMS, "ARP"])
def test_many_queries_are_each_on_their_own(name: str) -> None:
    random = np.random.default_rng(0)
    offsets = np.concatenate(([0], np.cumsum(random.integers(1, 400, 40))))
    scores, grades = random.standard_normal(offsets[-1]), random.integers(0, 3, offsets[-1]).astype(float)
    coefficients, losses = most_violated(name, scores, grades, offsets)
    for q, (lo, hi) in enumerate(itertools.pairwise(offsets)):
        alone = most_violated(name, scores[lo:hi], grades[lo:hi])
        np.testing.assert_allclose(coefficients[lo:hi], alone.coefficients, atol=1e-12)
        assert losses[q] - coefficients[lo:hi] @ scores[lo:hi] >= -1e-12
        assert 0 <= losses[q] <= (2 if name == "MCC" else np.inf if name in {*SUMS, "ARP"} else 1)
        assert abs(coefficients[lo:hi].sum()) < 1e-9 or name in LABELLED


@pytest.mark.parametrize("name", ["AP", "AUPRC", "nDCG"])
def test_interleaving_of_a_long_query_against_the_plain_loop(name: str) -> None:
    """Yue's Algorithm 2 as published, in O(R N), on a query too long for all rankings."""
    random = np.random.default_rng(1)
    n = 700
    scores, grades = random.standard_normal(n) / 3, (random.random(n) < 0.3).astype(float)
    coefficients, losses = most_violated(name, scores, grades)
    relevant, others = np.sort(scores[grades > 0])[::-1], np.sort(scores[grades == 0])[::-1]
    r, m = relevant.size, others.size
    ideal = sum(1 / np.log2(1 + i) for i in range(1, r + 1))
    value = 0.0
    for j in range(1, m + 1):
        i = np.arange(1, r + 1)
        lost = {
            "AP": (j / (j + i) - (j - 1) / (j + i - 1)) / r,
            "AUPRC": (j * np.log((i + j) / (i + j - 1)) - (j - 1) * np.log((i + j - 1) / np.maximum(i + j - 2, 1))) / r,
            "nDCG": (1 / np.log2(i + j) - 1 / np.log2(1 + i + j)) / ideal,
        }[name]
        steps = lost - 2 * (relevant - others[j - 1]) / (r * m)
        value += max(0.0, np.cumsum(steps[::-1]).max())
    assert losses[0] - coefficients @ scores == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize(("name", "sentence"), [("AP@10", "without a cut-off only: use AP"), ("Success@3", "use P@3")])
def test_unknown_oracles(name: str, sentence: str) -> None:
    with pytest.raises(MeasureError, match=sentence):
        most_violated(name, np.zeros(2), np.array([0.0, 1.0]))


def test_f1_of_one_long_set_against_all_tables() -> None:
    """Joachims' Algorithm 2 as published, over all contingency tables, on a set that is sorted in two threads."""
    random = np.random.default_rng(4)
    n = 20_001
    scores, grades = random.standard_normal(n), np.zeros(n)
    grades[random.permutation(n)[:150]] = 1
    coefficients, losses = most_violated("F1", scores, grades)
    positive, negative = np.sort(scores[grades > 0])[::-1], np.sort(scores[grades == 0])[::-1]
    a, b = np.arange(positive.size + 1)[:, None], np.arange(negative.size + 1)[None, :]
    labelled = np.append(0, np.cumsum(positive))[:, None] + np.append(0, np.cumsum(negative))[None, :]
    values = 1 - 2 * a / (a + positive.size + b) + 2 / n * labelled
    assert losses[0] - coefficients @ scores == pytest.approx(values.max() - 2 / n * positive.sum(), abs=1e-9)


@pytest.mark.parametrize("n_grades", [2, 3])
def test_roc_area_of_scores_so_large_that_a_half_is_rounded_off(n_grades: int) -> None:
    random = np.random.default_rng(0)
    scores, grades = 1e17 * random.standard_normal(300), random.integers(0, n_grades, 300).astype(float)
    coefficients, losses = most_violated("AUC", scores, grades)
    assert losses[0] == pytest.approx(1 - parse("AUC").bind(grades, np.array([0, 300])).evaluate(scores)[0])
    assert coefficients.sum() == pytest.approx(0, abs=1e-12)

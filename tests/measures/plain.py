"""Every measure by its definition, in slow and obvious code, and the mean over all orders of ties.

A ranking is a list of grades, best rank first; `unranked` are the grades of documents that have no rank.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

from scipy.integrate import quad

Ranking = list[float]
Plain = Callable[[Ranking, Ranking], float]


def orders(scores: list[float], grades: list[float]) -> Iterator[tuple[Ranking, Ranking]]:
    """All rankings that the scores allow, each as (ranked, unranked)."""
    ranked = sorted((s for s in set(scores) if s > -math.inf), reverse=True)
    unranked = [g for s, g in zip(scores, grades, strict=True) if s == -math.inf]
    groups = [[g for s, g in zip(scores, grades, strict=True) if s == value] for value in ranked]
    for choice in itertools.product(*(list(itertools.permutations(group)) for group in groups)):
        yield [g for group in choice for g in group], unranked


def mean_over_orders(plain: Plain, scores: list[float], grades: list[float]) -> float:
    values = [plain(ranked, unranked) for ranked, unranked in orders(scores, grades)]
    return math.fsum(values) / len(values)


def _n_relevant(ranked: Ranking, unranked: Ranking, rel: float) -> int:
    return sum(g >= rel for g in ranked + unranked)


def ap(rel: float = 1e-9, k: int = 999) -> Plain:
    def value(ranked: Ranking, unranked: Ranking) -> float:
        total = 0.0
        for r in range(1, min(k, len(ranked)) + 1):
            if ranked[r - 1] >= rel:
                total += sum(g >= rel for g in ranked[:r]) / r
        n = _n_relevant(ranked, unranked, rel)
        return total / n if n else 0.0

    return value


def dcg(gain: str = "exp", discount: str = "log2", k: int = 999) -> Plain:
    def value(ranked: Ranking, unranked: Ranking) -> float:
        total = 0.0
        for r, g in enumerate(ranked[:k], 1):
            weight = math.log2(r + 1) if discount == "log2" else math.log2(max(r, 2))
            total += (2**g - 1 if gain == "exp" else g) / weight
        return total

    return value


def ndcg(gain: str = "exp", discount: str = "log2", k: int = 999) -> Plain:
    def value(ranked: Ranking, unranked: Ranking) -> float:
        best = dcg(gain, discount, k)(sorted(ranked + unranked, reverse=True), [])
        return dcg(gain, discount, k)(ranked, unranked) / best if best else 0.0

    return value


def rr(rel: float = 1e-9, k: int = 999) -> Plain:
    return lambda ranked, unranked: next((1 / r for r, g in enumerate(ranked[:k], 1) if g >= rel), 0.0)


def precision(k: int, rel: float = 1e-9) -> Plain:
    return lambda ranked, unranked: sum(g >= rel for g in ranked[:k]) / k


def recall(k: int, rel: float = 1e-9) -> Plain:
    def value(ranked: Ranking, unranked: Ranking) -> float:
        n = _n_relevant(ranked, unranked, rel)
        return sum(g >= rel for g in ranked[:k]) / n if n else 0.0

    return value


def r_precision(rel: float = 1e-9) -> Plain:
    def value(ranked: Ranking, unranked: Ranking) -> float:
        n = _n_relevant(ranked, unranked, rel)
        return precision(n, rel)(ranked, unranked) if n else 0.0

    return value


def success(k: int, rel: float = 1e-9) -> Plain:
    return lambda ranked, unranked: float(any(g >= rel for g in ranked[:k]))


def err(max_grade: float = 4, k: int = 999) -> Plain:
    def value(ranked: Ranking, unranked: Ranking) -> float:
        total, reading = 0.0, 1.0
        for r, g in enumerate(ranked[:k], 1):
            stop = (2**g - 1) / 2**max_grade
            total += reading * stop / r
            reading *= 1 - stop
        return total

    return value


def auc(scores: list[float], grades: list[float]) -> float:
    """Pairs of unequal grade in the right order, ties half."""
    right = pairs = 0.0
    for (s, g), (t, h) in itertools.product(zip(scores, grades, strict=True), repeat=2):
        if g > h:
            pairs += 1
            right += 1.0 if s > t else 0.5 if s == t else 0.0
    return right / pairs if pairs else 0.0


def pair_accuracy(scores: list[float], grades: list[float], high: float, low: float) -> float:
    """The same over the documents of two grades."""
    two = [(s, g) for s, g in zip(scores, grades, strict=True) if g in (high, low)]
    return auc([s for s, _ in two], [g for _, g in two])


def auprc(scores: list[float], grades: list[float], rel: float = 1e-9) -> float:
    """The precision-recall curve integrated numerically, segment by segment from one threshold to the next."""
    n, area, found, others = sum(g >= rel for g in grades), 0.0, 0, 0
    for threshold in sorted({s for s in scores if s > -math.inf}, reverse=True):
        passed = [g >= rel for s, g in zip(scores, grades, strict=True) if s == threshold]
        if any(passed):
            slope = (len(passed) - sum(passed)) / sum(passed)

            def precision(t: float, found: int = found, others: int = others, slope: float = slope) -> float:
                return t / (t + others + slope * (t - found))

            area += quad(precision, found, found + sum(passed), epsabs=1e-13)[0]
        found, others = found + sum(passed), others + len(passed) - sum(passed)
    return area / n if n else 0.0


def micro_and_macro_precision(scores: list[float], grades: list[float], rel: float = 1e-9) -> tuple[float, float]:
    """Of the labelling with the grade nearest to each score."""
    labels = [None if s == -math.inf else min(sorted(set(grades)), key=lambda c, s=s: abs(s - c)) for s in scores]
    classes = {g for g in grades if g >= rel}
    right = {c: sum(label == c == g for label, g in zip(labels, grades, strict=True)) for c in classes}
    labelled = {c: labels.count(c) for c in classes}
    macro = sum(right[c] / labelled[c] for c in classes if labelled[c]) / max(len(classes), 1)
    return sum(right.values()) / max(sum(labelled.values()), 1), macro


def softened(scores: list[float], gains: list[float], sigma: float) -> list[float]:
    """The smoothed gain at each rank, best first (Chapelle & Wu 2010); documents of score -inf have none."""
    ranked = sorted((s for s in scores if s > -math.inf), reverse=True)
    return [_mean_near(score, scores, gains, sigma) for score in ranked]


def _mean_near(score: float, scores: list[float], gains: list[float], sigma: float) -> float:
    weights = [0.0 if s == -math.inf else math.exp(-(((s - score) / sigma) ** 2) / 2) for s in scores]
    return math.fsum(w * g for w, g in zip(weights, gains, strict=True)) / math.fsum(weights)


def soft_ap(expected: list[float], n_relevant: int) -> float:
    return sum(p / r * (1 + sum(expected[: r - 1])) for r, p in enumerate(expected, 1)) / max(n_relevant, 1)


def soft_auprc(expected: list[float], n_relevant: int) -> float:
    def segment(r: int) -> float:
        return 1 - (r - 1 - sum(expected[: r - 1])) * math.log(r / (r - 1)) if r > 1 else 1.0

    return sum(p * segment(r) for r, p in enumerate(expected, 1)) / max(n_relevant, 1)


def soft_cascade(expected: list[float], worth: Callable[[int], float]) -> float:
    """What a user earns who stops at rank r with the probability at that rank."""
    return sum(worth(r) * p * math.prod(1 - q for q in expected[: r - 1]) for r, p in enumerate(expected, 1))


def soft_auc(scores: list[float], grades: list[float], sigma: float) -> float:
    """Pairs of unequal grade, each by the normal distribution function of its difference."""
    pairs = [
        0.5 * math.erfc(-(s - t) / sigma / math.sqrt(2)) if s != t else 0.5
        for (s, g), (t, h) in itertools.product(zip(scores, grades, strict=True), repeat=2)
        if g > h
    ]
    return math.fsum(pairs) / len(pairs) if pairs else 0.0

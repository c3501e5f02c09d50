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
            weight = {"log2": math.log2(r + 1), "jarvelin": math.log2(max(r, 2)), "none": 1}[discount]
            total += (2**g - 1 if gain == "exp" else g) / weight
        return total

    return value


def arp() -> Plain:
    def value(ranked: Ranking, unranked: Ranking) -> float:
        n = len(ranked + unranked)
        return sum(g * (n + 1 - r) / n for r, g in enumerate(ranked, 1))

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


def rbp(p: float = 0.8, rel: float = 1e-9, k: int = 999, gain: str = "binary") -> Plain:
    def value(ranked: Ranking, unranked: Ranking) -> float:
        gains = [g if gain == "linear" else float(g >= rel) for g in ranked[:k]]
        return sum(g * (1 - p) * p**r for r, g in enumerate(gains))

    return value


def set_precision(rel: float = 1e-9) -> Plain:
    return lambda ranked, unranked: sum(g >= rel for g in ranked) / max(len(ranked), 1)


def set_recall(rel: float = 1e-9) -> Plain:
    return lambda ranked, unranked: sum(g >= rel for g in ranked) / max(_n_relevant(ranked, unranked, rel), 1)


def set_f(beta: float = 1, rel: float = 1e-9) -> Plain:
    def value(ranked: Ranking, unranked: Ranking) -> float:
        p, r = set_precision(rel)(ranked, unranked), set_recall(rel)(ranked, unranked)
        return (1 + beta**2) * p * r / (beta**2 * p + r) if p else 0.0

    return value


def interpolated_precision(recall_level: float, rel: float = 1e-9) -> Plain:
    def value(ranked: Ranking, unranked: Ranking) -> float:
        reached = [r for r in range(1, len(ranked) + 1) if recall(r, rel)(ranked, unranked) >= recall_level - 1e-12]
        return max((precision(r, rel)(ranked, unranked) for r in reached), default=0.0)

    return value


def bpref(rel: float = 1e-9) -> Plain:
    """A grade that is NaN or below 0 was not judged."""

    def value(ranked: Ranking, unranked: Ranking) -> float:
        n = _n_relevant(ranked, unranked, rel)
        n_others = sum(0 <= g < rel for g in ranked + unranked)
        total = 0.0
        for r, g in enumerate(ranked):
            if g >= rel:
                above = sum(0 <= h < rel for h in ranked[:r])
                total += 1 - min(above, n) / min(n, n_others) if above else 1.0
        return total / n if n else 0.0

    return value


def inferred_ap(rel: float = 1e-9) -> Plain:
    """A grade of NaN was not pooled, one below 0 pooled but not judged."""

    def value(ranked: Ranking, unranked: Ranking) -> float:
        n, total = _n_relevant(ranked, unranked, rel), 0.0
        for r, g in enumerate(ranked):
            if g >= rel:
                above = [h for h in ranked[:r] if not math.isnan(h)]
                relevant, judged = sum(h >= rel for h in above), sum(h >= 0 for h in above)
                total += 1 / (r + 1) * (1 + len(above) * (relevant + 1e-5) / (judged + 2e-5))
        return total / n if n else 0.0

    return value


def judged(k: int = 999) -> Plain:
    """A grade of NaN was not judged."""
    return lambda ranked, unranked: sum(not math.isnan(g) for g in ranked[:k]) / max(min(len(ranked), k), 1)


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


def jaccard(relevant: list[bool], labels: list[bool]) -> float:
    wanted, found = ({i for i, flag in enumerate(flags) if flag} for flags in (relevant, labels))
    return len(wanted & found) / len(wanted | found)


def accuracies(relevant: list[bool], labels: list[bool]) -> list[float]:
    """Accuracies of relevant and of other documents; there must be at least one of each."""
    kinds = [[label == r for r, label in zip(relevant, labels, strict=True) if r == kind] for kind in (True, False)]
    return [sum(right) / len(right) for right in kinds]


def balanced_accuracy(relevant: list[bool], labels: list[bool]) -> float:
    return sum(accuracies(relevant, labels)) / 2


def g_mean(relevant: list[bool], labels: list[bool]) -> float:
    return math.sqrt(math.prod(accuracies(relevant, labels)))


def mcc(relevant: list[bool], labels: list[bool]) -> float:
    """Pearson's correlation of two lists of 0 and 1."""
    n = len(relevant)
    x, y = sum(relevant) / n, sum(labels) / n
    covariance = sum((r - x) * (label - y) for r, label in zip(relevant, labels, strict=True)) / n
    spread = math.sqrt(x * (1 - x) * y * (1 - y))
    return covariance / spread if spread else 0.0


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
    """Precision of labelling each document with the grade nearest to its score."""
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
    """Expected value for a user who stops at each rank with its probability."""
    return sum(worth(r) * p * math.prod(1 - q for q in expected[: r - 1]) for r, p in enumerate(expected, 1))


def soft_auc(scores: list[float], grades: list[float], sigma: float) -> float:
    """Pairs of unequal grade, each by the normal distribution function of its difference."""
    pairs = [
        0.5 * math.erfc(-(s - t) / sigma / math.sqrt(2)) if s != t else 0.5
        for (s, g), (t, h) in itertools.product(zip(scores, grades, strict=True), repeat=2)
        if g > h
    ]
    return math.fsum(pairs) / len(pairs) if pairs else 0.0

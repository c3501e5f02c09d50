"""Figures 6 to 8, section 4.5: AdaRank compared with pairwise methods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ...arrays import Floats
from ...data import InputError, RankingData
from ..claims import is_higher
from ..experiment import Claim, Experiment, Outcome
from ..per_query import merge
from ..rows import Rows
from .collection import Collection
from .letor_ohsumed import LETOR
from .protocol import BOOST, MAP, NDCG, SVM, grade_pairs, run_trials, trials
from .text_features import TEXT

#: Queries are grouped by their number of pairs, in thousands; these groups have few.
GROUP = 1000
FEW_PAIRS = ("0-1k", "1k-2k", "2k-3k")
AVERAGE = "average of the groups"

#: Smallest difference that rounds to two points of MAP, as in the paper.
TWO_POINTS = 0.015


def pair_accuracy(collection: Collection, rows: Rows, quick: bool) -> Outcome:
    """Figure 6: fraction of correctly ordered pairs of two grades, averaged over the trials."""
    pairs = grade_pairs(collection.data)
    if not pairs:
        grades = ", ".join(f"{grade:g}" for grade in sorted(set(collection.data.y.tolist())))
        raise InputError(f"adarank/figure6 needs three grades, as in OHSUMED; this collection has {grades}")
    found = run_trials(collection, rows, quick, (SVM, BOOST, MAP, NDCG))
    figures = {
        method: {
            f"accuracy on {pair}": _mean([row["pairs"][pair] for row in parts if row["pairs"][pair] is not None])
            for pair in pairs
        }
        for method, parts in found.items()
    }
    return Outcome(figures, remarks=collection.remarks)


def pairs_per_query(collection: Collection, rows: Rows, quick: bool) -> Outcome:
    """Figure 7: histogram of the training queries of trial 1 by number of pairs of unequal grades."""
    training = trials(collection.data)[0].training
    groups = list(query_groups(collection.data.select(training)).values())
    return Outcome({name: {"queries": groups.count(name)} for name in _in_order(groups)}, remarks=collection.remarks)


def map_by_group(collection: Collection, rows: Rows, quick: bool) -> Outcome:
    """Figure 8: MAP of RankBoost and AdaRank in each group of queries."""
    groups = query_groups(collection.data)
    names = _in_order(groups.values())
    sizes = Counter(groups.values())
    figures: dict[str, dict[str, float | str]] = {**{name: {"queries": sizes[name]} for name in names}, AVERAGE: {}}
    for method, parts in run_trials(collection, rows, quick, (BOOST, MAP)).items():
        tested = merge(row["test"]["MAP"] for row in parts)
        for column, values in ((method, tested), (f"{method}, training", parts[0]["training"]["MAP"])):
            for name, mean in _means(values, groups, names).items():
                figures[name][column] = mean
    remark = "Each query is evaluated in the trial that tests it; columns “training” have the training queries of trial 1."
    return Outcome(figures, remarks=(*collection.remarks, remark))


def query_groups(data: RankingData) -> dict[str, str]:
    """Group of each query by its number of pairs of unequal grades: "0-1k", "1k-2k", and so on."""
    queries = data.by_query()
    thousands = {
        str(q): _n_pairs(data.y[rows]) // GROUP for q, rows in zip(queries.ids.tolist(), queries.each(), strict=True)
    }
    return {q: f"{low}k-{low + 1}k" if low else FEW_PAIRS[0] for q, low in thousands.items()}


def _n_pairs(grades: Floats) -> int:
    _, counts = np.unique(grades, return_counts=True)
    return int(counts.sum() ** 2 - np.sum(counts**2)) // 2


def _in_order(groups: Iterable[str]) -> list[str]:
    return sorted(set(groups), key=lambda name: int(name.partition("-")[2].removesuffix("k")))


def _means(values: Mapping[str, float], groups: Mapping[str, str], names: Sequence[str]) -> dict[str, float]:
    """Mean of each group that has some of these queries, and the mean of these means."""
    members = {name: [value for q, value in values.items() if groups[q] == name] for name in names}
    means = {name: _mean(group) for name, group in members.items() if group}
    return {**means, AVERAGE: _mean(list(means.values()))}


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _advantages(outcome: Outcome) -> dict[str, float]:
    """Difference of MAP between AdaRank and RankBoost, by group."""
    rows = {name: (row.get(MAP), row.get(BOOST)) for name, row in outcome.figures.items()}
    return {name: a - b for name, (a, b) in rows.items() if isinstance(a, float) and isinstance(b, float)}


def _varies(outcome: Outcome) -> bool | None:
    numbers = [row.get("queries") for row in outcome.figures.values()]
    known = [float(number) for number in numbers if isinstance(number, (int, float))]
    return max(known) < sum(known) / 2 if known else None


def _is_higher_on_average(outcome: Outcome) -> bool | None:
    advantage = _advantages(outcome).get(AVERAGE)
    return None if advantage is None else advantage > 0


def _is_two_points_higher(outcome: Outcome) -> bool | None:
    advantage = _advantages(outcome).get(AVERAGE)
    return None if advantage is None else advantage >= TWO_POINTS


def _gains_most_with_few_pairs(outcome: Outcome) -> bool | None:
    advantages = {name: value for name, value in _advantages(outcome).items() if name != AVERAGE}
    few = [value for name, value in advantages.items() if name in FEW_PAIRS]
    many = [value for name, value in advantages.items() if name not in FEW_PAIRS]
    return _mean(few) > max(0.0, _mean(many)) if few and many else None


EXPERIMENTS = [
    Experiment(
        "adarank/figure6",
        "Accuracy on pairs of documents of two grades",
        (LETOR, TEXT),
        pair_accuracy,
        {"OHSUMED": {"axis of the figure": {"all pairs": "0.58 to 0.68"}}},
        tuple(is_higher(f"accuracy on {pair}", name, SVM, BOOST) for pair in ("d-n", "d-p") for name in (MAP, NDCG)),
        "LETOR has 45 features where the paper has the 7 of its Table 2.",
        has_report=False,
    ),
    Experiment(
        "adarank/figure7",
        "Training queries of trial 1 by their number of document pairs",
        (LETOR, TEXT),
        pairs_per_query,
        {"OHSUMED": {"axis of the figure": {"queries": "0 to 12"}}},
        (Claim("The numbers of document pairs vary: no group has half of the queries.", _varies),),
        "The four subsets are drawn again.",
        has_report=False,
    ),
    Experiment(
        "adarank/figure8",
        "MAP by group of queries",
        (LETOR, TEXT),
        map_by_group,
        {"OHSUMED": {"axis of the figure": {"both methods": "0.2 to 0.5"}}},
        (
            Claim(f"The average MAP of {MAP} over the groups is higher than {BOOST}'s.", _is_higher_on_average),
            Claim(f"It is higher than {BOOST}'s by two points ({TWO_POINTS} or more).", _is_two_points_higher),
            Claim(
                f"{MAP} is particularly better than {BOOST} for queries with few pairs (its mean advantage in 0-1k, 1k-2k "
                "and 2k-3k is above 0, and above that in the other groups).",
                _gains_most_with_few_pairs,
            ),
        ),
        "The paper does not say whether these are training or test queries. Both are shown; test queries decide the claims.",
        has_report=False,
    ),
]

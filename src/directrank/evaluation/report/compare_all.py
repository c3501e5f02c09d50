"""Comparison of any number of evaluations of the same queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from ...data import InputError
from ...data.shown_ids import some_of
from ...measures import as_measure, name_of
from ..bootstrap import mean_intervals
from ..evaluation_result import Evaluation
from ..named_measures import TIE_RULES, AppliedTies, MeasureLike
from ..paired_tests import DEFAULT_TEST
from ..significance import Comparison, canonical_method, compare_pairs, order_by_id
from .report import Interval, Mean, Method, Report


def compare_all(
    evaluations: Mapping[str, Evaluation],
    baseline: str | None = None,
    *,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    test: str = DEFAULT_TEST,
    correction: str = "holm",
    missing: Literal["error", "zero"] = "error",
    alpha: float = 0.05,
    n_permutations: int = 100_000,
    n_resamples: int = 10_000,
    random_state: int = 0,
) -> Report:
    """Compare any number of rankings of the same queries.

    Parameters
    ----------
    evaluations : dict of Evaluation
        By name of the ranking, from `evaluate` or `evaluate_run`. Queries may be in any order.
    baseline : str, optional
        Ranking that all others are compared with. Without it, all pairs are compared; of two rankings, the second with the
        first.
    measures : names or measures, optional
        By default all that were evaluated.
    test : {"randomisation", "t", "wilcoxon"}
        Two-sided and paired: Fisher's randomisation test, Student's t-test, or Wilcoxon's signed-rank test. Other usual
        spellings ("permutation", "ttest", "t-test") are accepted too.
    correction : {"holm", "bonferroni", "bh", "tukey", "none"}
        Correction for multiple comparisons: Holm or Bonferroni, which bound the probability of any false discovery;
        Benjamini and Hochberg ("bh", "fdr"), which bounds the expected share of false ones; Tukey's HSD over all rankings,
        with the test "randomisation" (Carterette 2012) or "t"; or none. The comparisons by one measure are one family.
    missing : {"error", "zero"}
        Queries that are missing from an evaluation, or from the run that `evaluate_run` evaluated: an error, or counted as
        0, and the report says how many.
    alpha : float
        Significance level for corrected p-values.
    n_permutations : int
        Number of permutations of the randomisation test.
    n_resamples : int
        Number of bootstrap resamples for the 95 % intervals of means.
    random_state : int
        Random seed for permutations and resamples.

    Examples
    --------
    >>> from directrank import evaluate
    >>> grades, qid = [1, 0, 0, 1], [1, 1, 2, 2]
    >>> good, bad = evaluate(grades, [4, 2, 1, 3], qid, "AP"), evaluate(grades, [4, 2, 3, 1], qid, "AP")
    >>> print(compare_all({"good": good, "bad": bad}, baseline="bad").to_markdown().splitlines()[2])
    | a | good | **1.0000** |
    """
    names = _checked_names(evaluations, baseline, alpha)
    if baseline is None and len(names) == 2:
        baseline = names[0]
    aligned = _align(evaluations, missing)
    values = {measure: aligned.values(measure) for measure in _measures(evaluations, measures)}
    pairs, in_order = _pairs(names, baseline), {name: part[:, aligned.by_id()] for name, part in values.items()}
    test, correction = canonical_method(test, correction)
    method = Method(test, correction, alpha, n_permutations, n_resamples, random_state)
    return Report(
        evaluations=dict(evaluations),
        qid=aligned.qid,
        positions=aligned.positions,
        missing=aligned.missing(),
        baseline=baseline,
        method=method,
        values=values,
        means={measure: _means(names, part, method) for measure, part in in_order.items()},
        comparisons={measure: _compare(names, part, pairs, method) for measure, part in in_order.items()},
        differences={measure: _difference_intervals(names, part, baseline, method) for measure, part in in_order.items()},
    )


class _Aligned(NamedTuple):
    """Evaluations with their queries in one order.

    Attributes
    ----------
    qid : list
        All queries, by first appearance.
    positions : dict of arrays
        Position of each query in the evaluation of each ranking; -1 if it is missing.
    """

    evaluations: Mapping[str, Evaluation]
    qid: list[Any]
    positions: dict[str, Ints]

    def values(self, measure: str) -> Floats:
        """A row for each ranking, a column for each query."""
        rows = [np.where(at < 0, 0.0, self.evaluations[name].values(measure)[at]) for name, at in self.positions.items()]
        values = np.stack(rows)
        for name, row in zip(self.positions, rows, strict=True):
            finite = np.isfinite(row)
            if not finite.all():
                raise InputError(f"{name}: {measure} of query {self.qid[int(np.argmin(finite))]} is not a finite number")
        return values

    def by_id(self) -> Ints:
        """Positions of the queries by id, so that random draws do not depend on their order."""
        return order_by_id(self.qid)

    def missing(self) -> dict[str, int]:
        """Number of queries that are missing from each evaluation, or from the run that was evaluated."""
        return {name: int(np.sum(at < 0)) + self.evaluations[name].missing for name, at in self.positions.items()}


def _checked_names(evaluations: Mapping[str, Evaluation], baseline: str | None, alpha: float) -> list[str]:
    if not isinstance(evaluations, Mapping) or not all(isinstance(part, Evaluation) for part in evaluations.values()):
        raise InputError("compare_all takes a dict from the name of each ranking to its Evaluation")
    names = list(evaluations)
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"the name of a ranking must be a string, not {name!r}")
    if len(names) < 2:
        raise InputError(f"there is {'one ranking' if names else 'no ranking'}; to compare takes two or more")
    if baseline is not None and baseline not in names:
        raise InputError(f"there is no ranking {baseline!r} to be the baseline; there are {', '.join(names)}")
    if not 0 < alpha < 1:
        raise InputError(f"alpha must lie between 0 and 1, not {alpha!r}")
    return names


def _measures(evaluations: Mapping[str, Evaluation], wanted: MeasureLike | Iterable[MeasureLike] | None) -> list[str]:
    """Names of the measures to compare by; every ranking must have been evaluated by each."""
    first = next(iter(evaluations.values()))
    if wanted is None:
        names = list(first.per_query)
    else:
        several = [wanted] if isinstance(wanted, (str, type)) or not isinstance(wanted, Iterable) else list(wanted)
        names = [first.column_of(measure) or name_of(as_measure(measure)) for measure in several]
    for ranking, evaluation in evaluations.items():
        for name in evaluation.geometric.intersection(names):
            raise InputError(f"rankings are compared by the values of each query, and {name} has none; compare by map or AP")
        lacking = [name for name in names if name not in evaluation.per_query]
        if lacking:
            raise InputError(f"{ranking} was not evaluated by {lacking[0]}; evaluate all rankings by the same measures")
    for name in names:
        _check_ties({ranking: evaluation.ties.get(name) for ranking, evaluation in evaluations.items()}, name)
    if not names:
        raise InputError("no measure was evaluated")
    return names


def _check_ties(rules: Mapping[str, AppliedTies | None], measure: str) -> None:
    """Raise an error if rankings are known to have been evaluated by different tie rules."""
    known = {rule: ranking for ranking, rule in rules.items() if rule is not None}
    if len(known) > 1:
        parts = [f"{ranking} {TIE_RULES[rule]}" for rule, ranking in known.items()]
        raise InputError(f"equal scores were ranked in different ways for {measure}: {', '.join(parts)}; use the same ties")


def _align(evaluations: Mapping[str, Evaluation], missing: str) -> _Aligned:
    """Match queries by their ids as text: 7 is "7"."""
    if missing not in ("error", "zero"):
        raise InputError(f"missing must be 'error' or 'zero', not {missing!r}")
    found = {name: {str(qid): i for i, qid in enumerate(part.qid.tolist())} for name, part in evaluations.items()}
    qid: dict[str, Any] = {}
    for part in evaluations.values():
        for each in part.qid.tolist():
            qid.setdefault(str(each), each)
    if not qid:
        raise InputError("the rankings have no queries; there is nothing to compare")
    for name, mine in found.items() if missing == "error" else ():
        lacking = [each for each in qid if each not in mine]
        n_lacking, some = len(lacking) + evaluations[name].missing, f" ({some_of(lacking)})" if lacking else ""
        if n_lacking:
            raise InputError(
                f"{name} lacks {n_lacking:,} of the {len(qid):,} queries{some}; "
                "compare rankings of the same queries, or count missing queries as 0 with missing='zero'"
            )
    positions = {name: np.array([mine.get(each, -1) for each in qid], np.int64) for name, mine in found.items()}
    return _Aligned(evaluations, list(qid.values()), positions)


def _pairs(names: list[str], baseline: str | None) -> list[tuple[str, str]]:
    if baseline is None:
        return list(combinations(names, 2))
    return [(name, baseline) for name in names if name != baseline]


def _means(names: list[str], values: Floats, method: Method) -> dict[str, Mean]:
    intervals = mean_intervals(values, n_resamples=method.n_resamples, random_state=method.random_state)
    each = zip(names, values.mean(axis=1).tolist(), intervals.tolist(), strict=True)
    return {name: Mean(mean, Interval(*interval)) for name, mean, interval in each}


def _difference_intervals(names: list[str], values: Floats, baseline: str | None, method: Method) -> dict[str, Interval]:
    if baseline is None:
        return {}
    differences = values - values[names.index(baseline)]
    intervals = mean_intervals(differences, n_resamples=method.n_resamples, random_state=method.random_state)
    each = zip(names, intervals.tolist(), strict=True)
    return {name: Interval(*interval) for name, interval in each if name != baseline}


def _compare(
    names: list[str], values: Floats, pairs: list[tuple[str, str]], method: Method
) -> dict[tuple[str, str], Comparison]:
    rows = np.array([(names.index(first), names.index(second)) for first, second in pairs], np.int64)
    found = compare_pairs(
        values,
        rows,
        test=method.test,
        correction=method.correction,
        n_permutations=method.n_permutations,
        random_state=method.random_state,
    )
    return dict(zip(pairs, found, strict=True))

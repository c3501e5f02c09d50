"""Sentences at the foot of a report's tables: how the figures were computed, and what was not significant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..detectable import not_seen, shown_sizes
from ..evaluation_result import gain_notes, tie_sentence

if TYPE_CHECKING:
    from .report import Report

TEST_NAMES = {
    "randomisation": "Fisher's two-sided randomisation test with all or {n_permutations:,} permutations",
    "t": "the two-sided paired t-test",
    "wilcoxon": "the two-sided Wilcoxon signed-rank test",
}

TUKEY_NAMES = {
    "randomisation": "the randomised Tukey HSD test over {m} rankings with all or {n_permutations:,} permutations",
    "t": "Tukey's HSD test over {m} rankings and their queries",
}

CORRECTION_NAMES = {
    "holm": "corrected by Holm's method for {n} comparisons by each measure",
    "bonferroni": "corrected by Bonferroni's method for {n} comparisons by each measure",
    "bh": "corrected by Benjamini and Hochberg's method for {n} comparisons by each measure",
    "none": "not corrected for the {n} comparisons by each measure",
}

#: Number of rankings that a sentence lists by name.
_LISTED = 5


def sentences(report: Report, *, intervals: bool) -> list[str]:
    """See `Report.sentences`."""
    shown = [_intervals(report)] if intervals else []
    how = [_queries(report), *gain_notes(report.gains), *_missing(report), *shown, _significance(report)]
    return [*how, *_not_significant(report)]


def _queries(report: Report) -> str:
    rule = f", equal scores {tie_sentence(report.ties)}" if len(report.ties) == len(report.measures) else ""
    n = len(report.qid)
    return f"{f'Means over {n:,} queries' if n > 1 else 'Values of a single query'}{rule}."


def _missing(report: Report) -> list[str]:
    return [
        f"{name} lacks {count:,} of them, which count{'s' if count == 1 else ''} 0."
        for name, count in report.missing.items()
        if count
    ]


def _intervals(report: Report) -> str:
    return f"95 % intervals by the BCa bootstrap with {report.method.n_resamples:,} resamples of the queries."


def _significance(report: Report) -> str:
    method = report.method
    others = [name for name in report.names if name != report.baseline]
    who = "each" if len(others) > 1 else others[0]
    compared = "all pairs of rankings compared" if report.baseline is None else f"{who} compared with {report.baseline}"
    how = f"p < {method.alpha:g}, {_test(report)}; {compared}"
    return f"{_sign(report).capitalize()}s: significantly better than that ranking ({how})."


def _sign(report: Report) -> str:
    return "letter" if next(iter(report.letters.values())).isalpha() else "number"


def _not_significant(report: Report) -> list[str]:
    """What is not significant by each measure, and the size of differences that would have been found."""
    if report.baseline is None:
        return _pairs_not_significant(report)
    close = {measure: _close_to_baseline(report, measure) for measure in report.measures}
    if len(report.names) == 2:
        measures = [measure for measure in report.measures if close[measure]]
        return [f"No significant difference in {_and(measures)} ({_unseen(report, close)})."] if measures else []
    start = f"No significant difference from {report.baseline}"
    return [
        f"{start} in {measure}: {_some(names)} ({_unseen(report, {measure: names})})."
        for measure, names in close.items()
        if names
    ]


def _pairs_not_significant(report: Report) -> list[str]:
    alpha, sizes = report.method.alpha, []
    for measure, found in report.comparisons.items():
        pairs = [pair for pair, each in found.items() if each.corrected_p >= alpha]
        sizes.append(shown_sizes([report.detectable(measure, *pair) for pair in pairs], measure))
    unseen = not_seen(len(report.qid), " or ".join(filter(None, sizes)))
    return [f"No {_sign(report)}: no significant difference ({unseen})."] if any(sizes) else []


def _close_to_baseline(report: Report, measure: str) -> list[str]:
    """Rankings that do not differ significantly from the baseline."""
    found = {
        name: report.comparison(measure, name, str(report.baseline)) for name in report.names if name != report.baseline
    }
    return [name for name, each in found.items() if each is not None and each.corrected_p >= report.method.alpha]


def _unseen(report: Report, close: dict[str, list[str]]) -> str:
    baseline = str(report.baseline)
    sizes = [
        shown_sizes([report.detectable(measure, name, baseline) for name in names], measure)
        for measure, names in close.items()
    ]
    return not_seen(len(report.qid), " or ".join(filter(None, sizes)))


def _some(names: list[str]) -> str:
    """Names, or their number if they are many."""
    return _and(names) if len(names) <= _LISTED else f"{len(names):,} rankings"


def _and(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _test(report: Report) -> str:
    method, n = report.method, len(next(iter(report.comparisons.values())))
    if method.correction == "tukey":
        return TUKEY_NAMES[method.test].format(m=len(report.names), n_permutations=method.n_permutations)
    test = TEST_NAMES[method.test].format(n_permutations=method.n_permutations)
    return f"{test}, {CORRECTION_NAMES[method.correction].format(n=n)}" if n > 1 else test

"""The conclusion of a comparison, in plain sentences."""

from __future__ import annotations

from collections.abc import Sequence

from ..evaluation import Comparison, Report

#: Name of the baseline whose value is the mean over all orders; see `HeldOutEvaluator.evaluate_random_order`.
RANDOM_ORDER = "random order"


def verdict(
    report: Report, winner: str, learners: Sequence[str], chance: Comparison, n_rankings: int, *, all_tried: bool = True
) -> str:
    """Whether the winner is significantly better than the baseline.

    Parameters
    ----------
    report : Report
        All learners and a random order against the best single feature; the first measure decides.
    winner : str
        The ranking with the highest mean.
    learners : names
    chance : Comparison
        The winner against a random order.
    n_rankings : int
        Number of rankings the winner was selected from, including all single features.
    all_tried : bool
        Whether all features and learners were evaluated.
    """
    measure, n_queries = report.measures[0], len(report.qid)
    p = min(1.0, chance.p * n_rankings)
    if not is_above_chance(chance, n_rankings, report.method.alpha):
        return (
            f"No ranking is significantly better than a {RANDOM_ORDER} ({n_queries:,} queries): the best of {n_rankings:,}, "
            f"{winner}, differs from it by {chance.difference:+.4f} {measure} ({format_p(p)})."
        )
    if winner == report.baseline:
        return f"{_feature_verdict(report, winner, learners, all_tried)}."
    against = report.comparison(measure, winner, str(report.baseline))
    assert against is not None
    lead, p_value = f"{against.difference:.4f} {measure}", format_p(against.corrected_p)
    if report.baseline == RANDOM_ORDER:
        return f"{winner} is significantly better than a {RANDOM_ORDER}, by {lead} ({format_p(p)})."
    if against.is_better(report.method.alpha):
        return f"{winner} is significantly better than {report.baseline}, by {lead} ({p_value})."
    favours_baseline = against.favours < 0 and against.corrected_p < report.method.alpha  # few large wins, many small losses
    but = f"; the test favours {report.baseline}" if favours_baseline else ""
    return (
        f"No significant difference from {report.baseline} ({n_queries:,} queries): {winner} is ahead by {lead} "
        f"({p_value}{but})."
    )


def is_above_chance(chance: Comparison, n_rankings: int, alpha: float) -> bool:
    """Whether the best of several rankings is better than a random order, with Bonferroni's correction."""
    return chance.difference > 0 and chance.favours > 0 and chance.p * n_rankings < alpha


def close_competitors(report: Report, winner: str, learners: Sequence[str]) -> str:
    """A sentence on the learners that are not significantly below the winner, by a report against it; empty if none are."""
    measure = report.measures[0]
    others = [name for name in learners if name != winner]
    below = report.significantly_below(measure, winner)
    close = [name for name in others if name not in below]
    if not close:
        return ""
    if close == others:
        return f"No {'other ' if winner in learners else ''}learner is significantly below {winner}."
    listed = close[0] if len(close) == 1 else f"{', '.join(close[:-1])} and {close[-1]}"
    return f"Not significantly below {winner}: {listed}."


def format_p(p: float) -> str:
    """Format a p-value with two significant digits."""
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.2g}"


def _feature_verdict(report: Report, feature: str, learners: Sequence[str], all_tried: bool) -> str:
    """The verdict if a single feature has the highest mean."""
    measure = report.measures[0]
    value = report.means[measure][feature].value
    start = f"{feature} has the highest mean {measure}{'' if all_tried else ' of all rankings evaluated'}, {value:.4f}"
    means = {name: report.means[measure][name].value for name in learners}
    if not means:
        return start
    second = max(means, key=lambda name: means[name])
    against = report.comparison(measure, feature, second)
    assert against is not None
    p_value = format_p(against.corrected_p)
    return f"{start}: the best learner, {second}, is behind by {abs(against.difference):.4f} ({p_value})"

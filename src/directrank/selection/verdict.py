"""What a comparison comes to, in plain sentences."""

from __future__ import annotations

from collections.abc import Sequence

from ..evaluation import Comparison, Report

#: The ranking that knows nothing, whose value is the mean over all orders; see `Judge.random_order`.
RANDOM_ORDER = "random order"


def verdict(
    report: Report, winner: str, learners: Sequence[str], chance: Comparison, n_rankings: int, *, all_tried: bool = True
) -> str:
    """What to take, and how sure that is.

    Parameters
    ----------
    report : Report
        All learners and a random order against the best single feature, by the measure first and maybe by others.
    winner : str
        The ranking of the highest mean.
    learners : names
    chance : Comparison
        The winner against a random order.
    n_rankings : int
        How many rankings the winner is the best of, each feature counted.
    all_tried : bool
        Whether all features and learners were tried, so that the best of them is the best there is.
    """
    measure, n_queries = report.measures[0], len(report.qid)
    p = min(1.0, chance.p * n_rankings)
    if not is_above_chance(chance, n_rankings, report.method.alpha):
        return (
            f"Nothing here ranks better than a {RANDOM_ORDER}, as far as these {n_queries:,} queries tell: the best of "
            f"{n_rankings:,} rankings, {winner}, differs from it by {chance.difference:+.4f} {measure} ({shown_p(p)})."
        )
    if winner == report.baseline:
        return f"{_of_feature(report, winner, learners, all_tried)}."
    against = report.comparison(measure, winner, str(report.baseline))
    assert against is not None
    if report.baseline == RANDOM_ORDER:
        return f"{winner} is better than a {RANDOM_ORDER} by {against.difference:.4f} {measure} ({shown_p(p)})."
    ahead = f"{winner} is ahead by {against.difference:.4f} {measure}"
    if against.is_better(report.method.alpha):
        return f"{winner} is better than {report.baseline}, by {against.difference:.4f} {measure} ({_test(against)})."
    against_it = against.favours < 0 and against.corrected_p < report.method.alpha  # few large wins, many small losses
    but = f", by a test that favours {report.baseline}" if against_it else ""
    return f"{report.baseline} is as good, as far as these {n_queries:,} queries tell: {ahead} ({_test(against)}{but})."


def is_above_chance(chance: Comparison, n_rankings: int, alpha: float) -> bool:
    """Whether the best of so many rankings is better than a random order, by Bonferroni's correction."""
    return chance.difference > 0 and chance.favours > 0 and chance.p * n_rankings < alpha


def alike(report: Report, winner: str, learners: Sequence[str]) -> str:
    """Which learners are not significantly below the winner, by a report of all against it; empty if none."""
    measure = report.measures[0]
    others = [name for name in learners if name != winner]
    below = report.significantly_below(measure, winner)
    near = [name for name in others if name not in below]
    if not near:
        return ""
    if near == others:
        return f"No {'other ' if winner in learners else ''}learner is significantly below {winner}."
    listed = near[0] if len(near) == 1 else f"{', '.join(near[:-1])} and {near[-1]}"
    return f"Not significantly below {winner}: {listed}."


def shown_p(p: float) -> str:
    """A p-value to two digits."""
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.2g}"


def _of_feature(report: Report, feature: str, learners: Sequence[str], all_tried: bool) -> str:
    """The sentence for a feature that no learner is above."""
    measure = report.measures[0]
    value = report.means[measure][feature].value
    start = f"{feature} has the highest mean {measure}{'' if all_tried else ' of all that were tried'}, {value:.4f}"
    means = {name: report.means[measure][name].value for name in learners}
    if not means:
        return start
    second = max(means, key=lambda name: means[name])
    against = report.comparison(measure, feature, second)
    assert against is not None
    return f"{start}: the best learner, {second}, is behind by {abs(against.difference):.4f} ({_test(against)})"


def _test(against: Comparison) -> str:
    return shown_p(against.corrected_p)

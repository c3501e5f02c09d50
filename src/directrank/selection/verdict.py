"""The conclusion of a comparison, in plain sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..arrays import Floats
from ..evaluation import Comparison, Report
from ..evaluation.detectable import no_difference, not_seen, shown_sizes
from ..evaluation.paired_tests import ROUNDING

#: Name of the baseline whose value is the mean over all orders; see `HeldOutEvaluator.evaluate_random_order`.
RANDOM_ORDER = "random order"


def verdict(
    report: Report, winner: str, learners: Sequence[str], chance: Comparison, n_rankings: int, *, all_tried: bool = True
) -> str:
    """Whether the winner is significantly better than the baseline.

    Parameters
    ----------
    report : Report
        All learners, the best single feature and a random order against the baseline; the first measure decides.
    winner : str
        The ranking that was chosen.
    learners : names
    chance : Comparison
        The winner against a random order.
    n_rankings : int
        Number of rankings the winner was selected from, including all single features.
    all_tried : bool
        Whether all features and learners were evaluated.
    """
    measure, n_queries = report.measures[0], len(report.qid)
    p = format_p(min(1.0, chance.p * n_rankings))
    if not is_above_chance(chance, n_rankings, report.method.alpha):
        of_all = "" if report.baseline in (winner, RANDOM_ORDER) else " that was tried"  # the baseline may be better
        said = (
            f"No ranking{of_all} is significantly better than a {RANDOM_ORDER} ({n_queries:,} queries): the best of "
            f"{n_rankings:,}, {winner}, differs from it by {chance.difference:+.4f} {measure} ({p})."
        )
        return f"{said} {_lead(report, winner, learners, n_rankings)}" if of_all else said
    if winner == report.baseline:
        return f"{_baseline_verdict(report, winner, learners, all_tried)}."
    if report.baseline == RANDOM_ORDER:
        return f"{winner} is significantly better than a {RANDOM_ORDER}, by {chance.difference:.4f} {measure} ({p})."
    return _lead(report, winner, learners, n_rankings)


def _lead(report: Report, winner: str, learners: Sequence[str], n_rankings: int) -> str:
    """Whether the winner is better than the baseline, which has another ranking."""
    measure, baseline, alpha = report.measures[0], report.baseline, report.method.alpha
    against = report.comparison(measure, winner, str(baseline))
    assert against is not None
    if winner not in learners:  # the best of the features
        against = replace(against, corrected_p=min(1.0, against.p * n_rankings))
    lead, p_value = f"{abs(against.difference):.4f} {measure}", format_p(against.corrected_p)
    if against.is_better(alpha):
        return f"{winner} is significantly better than {baseline}, by {lead} ({p_value})."
    if against.difference < 0:
        return f"Nothing that was tried is better than {baseline}: {winner} is behind by {lead} ({p_value})."
    favours_baseline = against.favours < 0 and against.corrected_p < alpha  # few large wins, many small losses
    but = f"; the test favours {baseline}" if favours_baseline else ""
    same = no_difference(len(report.qid), report.detectable(measure, winner, str(baseline)))
    ahead = "has the same mean" if abs(against.difference) < ROUNDING else f"is ahead by {lead}"
    return f"{same} from {baseline}: {winner} {ahead} ({p_value}{but})."


def is_above_chance(chance: Comparison, n_rankings: int, alpha: float) -> bool:
    """Whether the best of several rankings is better than a random order, with Bonferroni's correction."""
    return chance.difference > 0 and chance.favours > 0 and chance.p * n_rankings < alpha


def is_within_error(gains: Floats) -> bool:
    """Whether the mean of differences of queries is at most its standard error."""
    return bool(np.mean(gains) <= np.std(gains, ddof=1) / np.sqrt(gains.size)) if gains.size > 1 else True


def close_competitors(report: Report, winner: str, learners: Sequence[str]) -> str:
    """A sentence on the learners that are not significantly below the winner, by a report against it; empty if none are."""
    measure = report.measures[0]
    others = [name for name in learners if name != winner]
    below = report.significantly_below(measure, winner)
    close = [name for name in others if name not in below]
    if not close:
        return ""
    sizes = shown_sizes([max(report.detectable(measure, winner, name) for name in close)])
    seen = f"({not_seen(len(report.qid), sizes)})"
    if close == others:
        return f"No {'other ' if winner in learners else ''}learner is significantly below {winner} {seen}."
    return f"Not significantly below {winner} {seen}: {_listed(close)}."


def unfinished(
    not_tried: Sequence[str],
    stopped: Mapping[str, int],
    n_folds: int,
    n_untried_features: int,
    *,
    interrupted: bool = False,
) -> str:
    """Sentences on what a search did not try, or stopped early; empty if it was finished.

    Parameters
    ----------
    not_tried : names
        Learners.
    stopped : dict of int
        Number of folds in which the training of a learner was stopped.
    n_folds : int
    n_untried_features : int
    interrupted : bool
        Whether Ctrl-C ended the search, and not the time limit.
    """
    features = "1 single feature" if n_untried_features == 1 else f"{n_untried_features:,} single features"
    untried = [*not_tried, *([features] if n_untried_features else [])]
    why = "the search was interrupted" if interrupted else "there was no time"
    said = [f"Not tried, because {why}: {_listed(untried)}."] if untried else []
    if stopped:
        folds = [f"{name} (in {n} of {n_folds} folds)" for name, n in stopped.items()]
        said.append(f"Stopped early, and perhaps better with more time: {_listed(folds)}.")
    return " ".join(said)


def format_p(p: float) -> str:
    """Format a p-value with two significant digits."""
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.2g}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _baseline_verdict(report: Report, baseline: str, learners: Sequence[str], all_tried: bool) -> str:
    """The verdict if the baseline has the highest mean."""
    measure = report.measures[0]
    value = report.means[measure][baseline].value
    start = f"{baseline} has the highest mean {measure}{'' if all_tried else ' of all rankings evaluated'}, {value:.4f}"
    means = {name: report.means[measure][name].value for name in learners}
    if not means:
        return start
    second = max(means, key=lambda name: means[name])
    against = report.comparison(measure, baseline, second)
    assert against is not None
    if abs(against.difference) < ROUNDING:
        return f"{start}, as has the best learner, {second}"
    p_value = format_p(against.corrected_p)
    return f"{start}: the best learner, {second}, is behind by {abs(against.difference):.4f} ({p_value})"

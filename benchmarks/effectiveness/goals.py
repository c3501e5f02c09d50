"""Whether our claims hold, each with the figure that decides it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from . import MEASURES
from .contestant import Contestant, Side
from .ours import LINEAR, LINEAR_MEASURE
from .outcome import Outcome, difference_over_sets

#: The contestant whose defaults are judged against other libraries, and with which all others are compared.
DEFAULT = "LambdaMART"

SINGLE = "Best single feature"

#: What a learner may lose to its own best scaling, and the default to the best of theirs on a set.
SCALING_LOSS, SET_LOSS = 0.01, 0.005

#: Sets of more than this many queries have more than 10^6 rows.
MILLION = 16_667


class Margin(NamedTuple):
    """A figure that must not be negative, and where it was found."""

    figure: float
    where: str


@dataclass(frozen=True)
class Verdict:
    """The smallest of the margins of a claim; None if nothing was run that it is about."""

    smallest: Margin | None
    n_met: int = 0
    n: int = 0

    def __str__(self) -> str:
        if self.smallest is None:
            return ""
        verdict = "pass" if self.smallest.figure >= 0 else f"**fail**, {self.n_met} of {self.n}"
        return f"{verdict}, {self.smallest.figure:+.4f} {self.smallest.where}"


class Claim(NamedTuple):
    """A claim about one measure.

    Attributes
    ----------
    text : str
    measure : str
    margins : callable
        Yields what must not be negative, on some sets.
    """

    text: str
    measure: str
    margins: Callable[[Sequence[Outcome], str], Iterator[Margin]]

    def judge(self, outcomes: Sequence[Outcome]) -> Verdict:
        margins = list(self.margins(outcomes, self.measure))
        if not margins:
            return Verdict(None)
        return Verdict(min(margins), sum(each.figure >= 0 for each in margins), len(margins))


def claims() -> Iterator[Claim]:
    """All claims, in the order in which they are shown."""
    for measure in MEASURES:
        yield Claim("a. linear learners minus the best single feature", measure, _above_single_feature)
    yield Claim(f"a. linear learners minus their best scaling, plus {SCALING_LOSS}", LINEAR_MEASURE, _near_best_scaling)
    for what, is_generated in (("collections", False), ("generated sets", True)):
        for measure in MEASURES:
            yield Claim(f"b. {DEFAULT} minus the best of theirs, mean of {what}", measure, _mean_above(is_generated))
    for measure in MEASURES:
        yield Claim(f"b. {DEFAULT} minus the best of theirs on each set, plus {SET_LOSS}", measure, _near_on_each)
    for measure in MEASURES:
        yield Claim(f"c. {DEFAULT} minus the best of theirs, more than 10^6 rows", measure, _above_on_large)
    for measure in MEASURES:
        yield Claim("d. trained for it minus the best of the five on each set, upper end", measure, _own_is_best_on_each)
    for measure in MEASURES:
        yield Claim(
            "d. trained for it minus the best of the five, mean of sets, upper end", measure, _own_is_best_on_average
        )


def _above_single_feature(outcomes: Sequence[Outcome], measure: str) -> Iterator[Margin]:
    for outcome in outcomes:
        for each in _linear(outcome):
            if each.is_shown_by(measure) and outcome.has(SINGLE):
                yield Margin(outcome.gain(each.name, SINGLE, measure), f"{each.learner} on {outcome.name}")


def _near_best_scaling(outcomes: Sequence[Outcome], measure: str) -> Iterator[Margin]:
    for outcome in outcomes:
        for each in _linear(outcome):
            scalings = {
                other.name: other.scaling for other in outcome.found if other.scaling and other.learner == each.learner
            }
            if each.is_shown_by(measure) and scalings:
                best = outcome.best(scalings, measure)
                where = f"{each.learner} to {scalings[best]} on {outcome.name}"
                yield Margin(outcome.gain(each.name, best, measure) + SCALING_LOSS, where)


def _mean_above(is_generated: bool) -> Callable[[Sequence[Outcome], str], Iterator[Margin]]:
    def margins(outcomes: Sequence[Outcome], measure: str) -> Iterator[Margin]:
        """Against each of theirs, on the sets on which both were run."""
        kind = [each for each in _with_default(outcomes, measure) if (each.n_generated > 0) is is_generated]
        for rival in dict.fromkeys(name for each in kind for name in each.of(Side.THEIRS)):
            gains = [each.gain(_default(measure), rival, measure) for each in kind if each.has(rival)]
            yield Margin(sum(gains) / len(gains), f"to {rival}")

    return margins


def _near_on_each(outcomes: Sequence[Outcome], measure: str) -> Iterator[Margin]:
    for outcome in _with_default(outcomes, measure):
        found = _above_theirs(outcome, measure)
        yield found._replace(figure=found.figure + SET_LOSS)


def _above_on_large(outcomes: Sequence[Outcome], measure: str) -> Iterator[Margin]:
    for outcome in _with_default(outcomes, measure):
        if outcome.n_generated > MILLION:
            yield _above_theirs(outcome, measure)


def _above_theirs(outcome: Outcome, measure: str) -> Margin:
    rival = outcome.best(outcome.of(Side.THEIRS), measure)
    return Margin(outcome.gain(_default(measure), rival, measure), f"to {rival} on {outcome.name}")


def _own_is_best_on_each(outcomes: Sequence[Outcome], measure: str) -> Iterator[Margin]:
    for outcome in outcomes:
        yield from _own_is_best([outcome], measure, f" on {outcome.name}")


def _own_is_best_on_average(outcomes: Sequence[Outcome], measure: str) -> Iterator[Margin]:
    yield from _own_is_best(outcomes, measure, "")


def _own_is_best(outcomes: Sequence[Outcome], measure: str, where: str) -> Iterator[Margin]:
    """Nothing is said of a learner where it was not run for all measures, or where values of queries are not saved."""
    for learner in dict.fromkeys(each.learner for outcome in outcomes for each in _defaults(outcome) if each.objective):
        variants = [f"{learner} for {other}" for other in MEASURES]
        run = [each for each in outcomes if each.has_values(variants)]
        if run:
            best = max(variants, key=lambda name: sum(each.mean(name, measure) for each in run))
            found = difference_over_sets(run, f"{learner} for {measure}", best, measure)
            yield Margin(found.high, learner + where)


def _default(measure: str) -> str:
    return f"{DEFAULT} for {measure}"


def _with_default(outcomes: Iterable[Outcome], measure: str) -> list[Outcome]:
    return [each for each in outcomes if each.has(_default(measure)) and each.of(Side.THEIRS)]


def _defaults(outcome: Outcome) -> list[Contestant]:
    return [each for each in outcome.found if each.side is Side.OURS and each.scaling is None]


def _linear(outcome: Outcome) -> list[Contestant]:
    return [each for each in _defaults(outcome) if each.learner in LINEAR]

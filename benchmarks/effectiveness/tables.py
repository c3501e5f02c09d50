"""Results as Markdown: all values, and whether our claims hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from directrank import compare_all
from directrank.evaluation import Evaluation

from . import MEASURES
from .collections import collection_name
from .contestant import Contestant
from .runs import count_seeds, evaluation

#: Baseline of our learners.
BASELINE = "RankSVM"


class Difference(NamedTuple):
    """Difference of means over the queries, with its paired 95 % bootstrap interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:+.4f} [{self.low:+.4f}, {self.high:+.4f}]"


@dataclass(frozen=True)
class Outcome:
    """Values of the contestants that were run on a collection.

    Attributes
    ----------
    name : str
    n_seeds : dict
        Number of seeds by contestant.
    evaluations : dict
        Values by name of the contestant, averaged over the seeds.
    """

    name: str
    n_seeds: dict[Contestant, int]
    evaluations: dict[str, Evaluation]

    @cached_property
    def ours(self) -> list[Contestant]:
        return [each for each in self.n_seeds if each.is_ours]

    @cached_property
    def theirs(self) -> list[Contestant]:
        return [each for each in self.n_seeds if not each.is_ours]

    def best(self, measure: str, among: Iterable[Contestant]) -> str:
        return max((each.name for each in among), key=lambda name: self.evaluations[name][measure])

    def variants(self, learner: str) -> list[Contestant]:
        return [each for each in self.n_seeds if each.learner == learner]

    def difference(self, measure: str, name: str, baseline: str) -> Difference | None:
        """Difference of two contestants; None if one of them has not been run."""
        pair = {each: self.evaluations[each] for each in (name, baseline) if each in self.evaluations}
        if len(pair) < 2:
            return None
        report = compare_all(pair, baseline, measures=measure)
        return Difference(pair[name][measure] - pair[baseline][measure], *report.differences[measure][name])


def print_all(sources: list[str], contestants: list[Contestant], results: Path, n_seeds: int) -> None:
    """Print all tables of saved results."""
    outcomes = [_outcome(source, contestants, results, n_seeds) for source in sources]
    for outcome in outcomes:
        _print(outcome.name, _values(outcome))
    _print("Ours against the best of theirs", _against_theirs(outcomes))
    _print("Trained for the reported measure", _own_measure(outcomes))
    _print(f"Against {BASELINE}", _against_baseline(outcomes))


def _print(title: str, lines: Iterable[str]) -> None:
    print(f"\n## {title}\n", *lines, sep="\n")


def _outcome(source: str, contestants: list[Contestant], results: Path, n_seeds: int) -> Outcome:
    seeds = {each: count_seeds(results, source, each, n_seeds if each.is_random else 1) for each in contestants}
    seeds = {each: n for each, n in seeds.items() if n}
    return Outcome(
        collection_name(source), seeds, {each.name: evaluation(results, source, each, n) for each, n in seeds.items()}
    )


def _values(outcome: Outcome) -> Iterator[str]:
    """A row for each contestant, with the best of ours and the best of theirs in bold."""
    sides = [side for side in (outcome.ours, outcome.theirs) if side]
    best = {measure: {outcome.best(measure, side) for side in sides} for measure in MEASURES}
    yield from _header("", "seeds", *MEASURES)
    for each, n_seeds in outcome.n_seeds.items():
        means = outcome.evaluations[each.name].means
        cells = (f"**{means[m]:.4f}**" if each.name in best[m] else f"{means[m]:.4f}" for m in MEASURES)
        yield _row(each.name, n_seeds if each.is_random else "", *cells)


def _against_theirs(outcomes: list[Outcome]) -> Iterator[str]:
    """Each of our learners, trained for the measure, minus the best of theirs, chosen by test values."""
    learners = _learners(outcomes)
    yield from _header("collection", "measure", "best of theirs on test", "", *(f"{learner} for it" for learner in learners))
    for outcome in outcomes:
        for measure in MEASURES if outcome.theirs else ():
            rival = outcome.best(measure, outcome.theirs)
            found = [outcome.difference(measure, f"{learner} for {measure}", rival) for learner in learners]
            cells = ["" if each is None else str(each) for each in found]
            yield _row(outcome.name, measure, rival, f"{outcome.evaluations[rival][measure]:.4f}", *cells)


def _own_measure(outcomes: list[Outcome]) -> Iterator[str]:
    """Number of collections on which training for the measure is best, or its interval reaches the best."""
    exceptions = []
    yield from _header("learner", *(f"for {measure}" for measure in MEASURES))
    for learner in _learners(outcomes):
        cells = []
        for measure in MEASURES:
            own, best, within, n = f"{learner} for {measure}", 0, 0, 0
            for outcome in outcomes:
                if own not in outcome.evaluations:
                    continue
                found = outcome.difference(measure, own, outcome.best(measure, outcome.variants(learner)))
                n += 1
                best += found is None
                within += found is not None and found.high >= 0
                if found is not None and found.high < 0:
                    exceptions.append(f"- {outcome.name}, {measure}: {own} {found}")
            cells.append(f"{best} + {within} of {n}")
        yield _row(learner, *cells)
    yield "\nCollections on which it is the best of the five + on which its interval reaches the best. Exceptions:\n"
    yield from exceptions


def _against_baseline(outcomes: list[Outcome]) -> Iterator[str]:
    """Each learner, by the measure it is trained for, minus the baseline: mean over the collections, and exceptions."""
    exceptions = []
    yield from _header("learner", *(f"for {measure}" for measure in MEASURES))
    for learner in _learners(outcomes):
        cells = []
        for measure in MEASURES:
            own = f"{learner} for {measure}"
            found = {each.name: each.difference(measure, own, BASELINE) for each in outcomes}
            known = {name: each for name, each in found.items() if each is not None}
            mean = sum(each.mean for each in known.values()) / max(len(known), 1)
            cells.append(f"{mean:+.4f}, below on {sum(each.mean < 0 for each in known.values())} of {len(known)}")
            exceptions += [f"- {name}, {own}: {each}" for name, each in known.items() if each.high < 0]
        yield _row(learner, *cells)
    yield "\nMean over the collections. Worse by more than the interval:\n"
    yield from exceptions


def _learners(outcomes: list[Outcome]) -> list[str]:
    """Our learners that are trained for a measure."""
    return list(dict.fromkeys(each.learner for outcome in outcomes for each in outcome.ours if each.objective))


def _header(*names: str) -> Iterator[str]:
    yield _row(*names)
    yield _row(*("---" for _ in names))


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"

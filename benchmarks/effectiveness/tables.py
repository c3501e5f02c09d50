"""What came out, as Markdown: all values, and whether what we claim of them holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from directrank import compare_all
from directrank.evaluation import Evaluation

from . import MEASURES
from .contestant import Contestant
from .runs import evaluation
from .sets import name_of

#: What every learner of ours is to be no worse than.
BASELINE = "RankSVM"


class Outcome(NamedTuple):
    """The values of one set."""

    name: str
    contestants: list[Contestant]
    evaluations: dict[str, Evaluation]

    def best(self, measure: str, among: Iterable[Contestant]) -> str:
        return max((each.name for each in among), key=lambda name: self.evaluations[name][measure])

    def difference(self, measure: str, name: str, baseline: str) -> Difference:
        pair = {each: self.evaluations[each] for each in (name, baseline)}
        report = compare_all(pair, baseline, measures=measure)
        mean = self.evaluations[name][measure] - self.evaluations[baseline][measure]
        return Difference(mean, *report.differences[measure][name])


class Difference(NamedTuple):
    """A difference of means over the queries, with its paired 95 % bootstrap interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:+.4f} [{self.low:+.4f}, {self.high:+.4f}]"


def print_all(sources: list[str], contestants: list[Contestant], results: Path) -> None:
    outcomes = [_outcome(source, contestants, results) for source in sources]
    for outcome in outcomes:
        print(f"\n## {outcome.name}\n")
        print_lines(_values(outcome))
    for title, lines in (
        ("Best of ours against best of theirs", _ours_against_theirs(outcomes)),
        ("Trained for what is measured", _own_measure(outcomes)),
        (f"Against {BASELINE}", _against_baseline(outcomes)),
    ):
        print(f"\n## {title}\n")
        print_lines(lines)


def print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


def _outcome(source: str, contestants: list[Contestant], results: Path) -> Outcome:
    return Outcome(name_of(source), contestants, {each.name: evaluation(results, source, each) for each in contestants})


def _values(outcome: Outcome) -> Iterator[str]:
    """A row for each contestant; the best of ours and the best of theirs in bold."""
    best = {
        measure: {outcome.best(measure, among) for among in _sides(outcome.contestants) if among} for measure in MEASURES
    }
    yield from _header("", *MEASURES)
    for each in outcome.contestants:
        means = outcome.evaluations[each.name].means
        cells = (f"**{means[m]:.4f}**" if each.name in best[m] else f"{means[m]:.4f}" for m in MEASURES)
        yield _row(each.name, *cells)


def _ours_against_theirs(outcomes: list[Outcome]) -> Iterator[str]:
    yield from _header("set", "measure", "best of ours", "", "best of theirs", "", "difference, 95 % interval")
    for outcome in outcomes:
        ours, theirs = _sides(outcome.contestants)
        for measure in MEASURES if ours and theirs else ():
            names = outcome.best(measure, ours), outcome.best(measure, theirs)
            values = [f"{outcome.evaluations[name][measure]:.4f}" for name in names]
            yield _row(outcome.name, measure, names[0], values[0], names[1], values[1], outcome.difference(measure, *names))


def _own_measure(outcomes: list[Outcome]) -> Iterator[str]:
    """For each learner and measure, on how many sets the objective trained is best, or its interval reaches the best."""
    exceptions = []
    yield from _header("learner", *(f"for {measure}" for measure in MEASURES))
    for learner in dict.fromkeys(each.learner for each in outcomes[0].contestants if each.objective):
        cells = []
        for measure in MEASURES:
            best, within = 0, 0
            for outcome in outcomes:
                same = [each for each in outcome.contestants if each.learner == learner]
                own, other = f"{learner} for {measure}", outcome.best(measure, same)
                if own == other:
                    best += 1
                elif (found := outcome.difference(measure, own, other)).high >= 0:
                    within += 1
                else:
                    exceptions.append(f"- {outcome.name}, {measure}: {own} less {other}: {found}")
            cells.append(f"{best} + {within} of {len(outcomes)}")
        yield _row(learner, *cells)
    yield ""
    yield "Sets on which it is the best + sets on which its interval reaches the best. The rest:"
    yield ""
    yield from exceptions


def _against_baseline(outcomes: list[Outcome]) -> Iterator[str]:
    """Each learner, on the measure it is trained for, less the baseline: the mean over the sets, and where it is worse."""
    exceptions = []
    yield from _header("learner", *(f"for {measure}" for measure in MEASURES))
    for learner in dict.fromkeys(each.learner for each in outcomes[0].contestants if each.objective):
        cells = []
        for measure in MEASURES:
            found = {o.name: o.difference(measure, f"{learner} for {measure}", BASELINE) for o in outcomes}
            mean = sum(each.mean for each in found.values()) / len(found)
            cells.append(f"{mean:+.4f}, below on {sum(each.mean < 0 for each in found.values())}")
            worse = {name: each for name, each in found.items() if each.high < 0}
            exceptions += [f"- {name}, {learner} for {measure}: {each}" for name, each in worse.items()]
        yield _row(learner, *cells)
    yield ""
    yield "Worse by more than the interval:"
    yield ""
    yield from exceptions


def _sides(contestants: list[Contestant]) -> tuple[list[Contestant], list[Contestant]]:
    return [each for each in contestants if each.is_ours], [each for each in contestants if not each.is_ours]


def _header(*names: str) -> Iterator[str]:
    yield _row(*names)
    yield _row(*("---" for _ in names))


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"

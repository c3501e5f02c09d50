"""Results as Markdown: our claims, means over sets, and each set.

A row is a learner: in the column of a measure, it is trained for that measure, if it can be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from directrank.learners.core.scaling import SCALINGS

from . import MEASURES
from .families import FAMILIES, parse_name
from .goals import DEFAULT, claims
from .halves import Half
from .ours import LINEAR, LINEAR_MEASURE
from .outcome import Outcome, difference_over_sets

#: The measure of the tables of generated sets.
GENERATED_MEASURE = "nDCG@10"

#: Parts of the sets, by the heads of their columns.
Parts = dict[str, list[Outcome]]


def print_all(outcomes: Sequence[Outcome]) -> None:
    """Print all tables."""
    collections = [each for each in outcomes if not each.n_generated]
    generated = sorted((each for each in outcomes if each.n_generated), key=lambda each: each.n_generated)
    parts = {
        f"{kind}, {half}": part
        for kind, sets in (("collections", collections), ("generated", generated))
        for half, part in _halves(sets).items()
    }
    _print("Claims", _claims(outcomes))
    for measure in MEASURES:
        _print(f"Means over sets: {measure}", _means(outcomes, parts, measure))
    _print(f"Scalings of linear learners: {LINEAR_MEASURE}", _scalings(parts))
    for outcome in collections:
        _print(outcome.name, _values(outcome))
    for name in FAMILIES:
        sizes = [each for each in generated if parse_name(each.name) == (name, each.n_generated)]
        if sizes:
            _print(f"Generated: {name}, {GENERATED_MEASURE} by number of queries", _by_size(sizes, GENERATED_MEASURE))
    if generated:
        largest = [each for each in generated if each.n_generated == generated[-1].n_generated]
        _print("CPU seconds of training on the largest generated sets", _seconds(largest))


def _print(title: str, lines: Iterable[str]) -> None:
    print(f"\n## {title}\n", *lines, sep="\n")


def _claims(outcomes: Sequence[Outcome]) -> Iterator[str]:
    halves = _halves(outcomes)
    yield from header("claim", "measure", *halves)
    for claim in claims():
        verdicts = [str(claim.judge(part)) for part in halves.values()]
        if any(verdicts):
            yield _row(claim.text, claim.measure, *verdicts)


def _means(outcomes: Sequence[Outcome], parts: Parts, measure: str) -> Iterator[str]:
    """Means over the sets of each part, each with the interval of the difference from the default."""
    yield from header("", "seeds", *(f"{head} ({len(part)})" for head, part in parts.items()))
    for learner, names in _learners(outcomes).items():
        if measure in names:
            cells = (_mean_cell(part, names[measure], measure) for part in parts.values())
            yield _row(learner, _seeds(outcomes, names), *cells)


def _mean_cell(outcomes: Sequence[Outcome], name: str, measure: str) -> str:
    """The mean, with the number of sets if the contestant was not run on all, and the interval if the default was, too."""
    run = [each for each in outcomes if each.has(name)]
    if not run:
        return ""
    mean = f"{np.mean([each.mean(name, measure) for each in run]):.4f}"
    mean += f" on {len(run)}" if len(run) < len(outcomes) else ""
    default = f"{DEFAULT} for {measure}"
    if name == default or not all(each.has(default) for each in run):
        return mean
    found = difference_over_sets(run, name, default, measure)
    return f"{mean} [{found.low:+.4f}, {found.high:+.4f}]"


def _scalings(parts: Parts) -> Iterator[str]:
    """Means over the sets on which a learner was run with all scalings, with the best in bold."""
    yield from header("", "sets", *SCALINGS)
    for learner in LINEAR:
        for head, part in parts.items():
            contestants = {each: None for outcome in part for each in outcome.found if each.learner == learner}
            names = {each.scaling or SCALINGS[0]: each.name for each in contestants if each.is_shown_by(LINEAR_MEASURE)}
            run = [outcome for outcome in part if outcome.has(*names.values())]
            if run and len(names) == len(SCALINGS):
                means = [np.mean([each.mean(names[scaling], LINEAR_MEASURE) for each in run]) for scaling in SCALINGS]
                cells = (f"**{mean:.4f}**" if mean == max(means) else f"{mean:.4f}" for mean in means)
                yield _row(learner, f"{head} ({len(run)})", *cells)


def _values(outcome: Outcome) -> Iterator[str]:
    """A row for each learner, with the best of each measure in bold."""
    learners = _learners([outcome])
    yield from header("", "seeds", *MEASURES)
    shown = {measure: [names[measure] for names in learners.values() if measure in names] for measure in MEASURES}
    best = {measure: outcome.best(names, measure) for measure, names in shown.items() if names}
    for learner, names in learners.items():
        cells = []
        for measure in MEASURES:
            cell = f"{outcome.mean(names[measure], measure):.4f}" if measure in names else ""
            cells.append(f"**{cell}**" if cell and names[measure] == best[measure] else cell)
        yield _row(learner, _seeds([outcome], names), *cells)


def _by_size(outcomes: Sequence[Outcome], measure: str) -> Iterator[str]:
    """A row for each learner and a column for each size, with the best of each in bold."""
    learners = {learner: names[measure] for learner, names in _learners(outcomes).items() if measure in names}
    best = [each.best(filter(each.has, learners.values()), measure) for each in outcomes]
    yield from header("", "seeds", *(f"{each.n_generated:,}" for each in outcomes))
    for learner, name in learners.items():
        cells = [f"{each.mean(name, measure):.4f}" if each.has(name) else "" for each in outcomes]
        cells = [f"**{cell}**" if name == top else cell for cell, top in zip(cells, best, strict=True)]
        yield _row(learner, _seeds(outcomes, {measure: name}), *cells)


def _seconds(outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield from header("", *(each.name for each in outcomes))
    for learner, names in _learners(outcomes).items():
        name = names.get(GENERATED_MEASURE)
        if name is not None:
            yield _row(learner, *(f"{each.mean(name, 'seconds'):.1f}" if each.has(name) else "" for each in outcomes))


def _learners(outcomes: Iterable[Outcome]) -> dict[str, dict[str, str]]:
    """Names of contestants by learner and measure, without those of other scalings."""
    complete_first = sorted(outcomes, key=lambda each: -len(each.found))  # for the same order of rows everywhere
    found = dict.fromkeys(each for outcome in complete_first for each in outcome.found if each.scaling is None)
    learners: dict[str, dict[str, str]] = {each.learner: {} for each in found}
    for each in found:
        learners[each.learner] |= {measure: each.name for measure in MEASURES if each.is_shown_by(measure)}
    return learners


def _seeds(outcomes: Iterable[Outcome], names: dict[str, str]) -> str:
    """Smallest and largest number of seeds of some contestants; nothing for those where nothing is random."""
    shown = set(names.values())
    counts = {found.n_seeds for each in outcomes for of, found in each.found.items() if of.name in shown and of.is_random}
    return "-".join(str(count) for count in sorted({min(counts), max(counts)})) if counts else ""


def _halves(outcomes: Sequence[Outcome]) -> Parts:
    """The outcomes of each half, and of both if there are both."""
    halves = {half.value: [each for each in outcomes if each.half is half] for half in Half}
    found = {name: part for name, part in halves.items() if part}
    return found if len(found) < 2 else found | {"both": list(outcomes)}


def header(*names: str) -> Iterator[str]:
    yield _row(*names)
    yield _row(*("---" for _ in names))


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"

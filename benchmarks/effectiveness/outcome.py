"""What was found on a set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from . import MEASURES
from .bootstrap import RESAMPLES, Difference, difference, resampled_means
from .contestant import Contestant, Side
from .families import parse_name
from .halves import Half, half_of


@dataclass(frozen=True)
class Found:
    """Figures of a contestant on a set.

    Attributes
    ----------
    n_seeds : int
    means : dict
        Mean over seeds, by measure, and of the `seconds`.
    values : array, optional
        A row for each test query and a column for each measure, averaged over the seeds of which they are saved.
    """

    n_seeds: int
    means: dict[str, float]
    values: np.ndarray | None


@dataclass(frozen=True)
class Outcome:
    """Figures of the contestants that were run on a set.

    Attributes
    ----------
    name : str
    found : dict
        By contestant, in the order in which they are shown.
    """

    name: str
    found: dict[Contestant, Found]

    @property
    def half(self) -> Half:
        return half_of(self.name)

    @property
    def n_generated(self) -> int:
        """Number of queries of a generated set; 0 for a collection."""
        generated = parse_name(self.name)
        return 0 if generated is None else generated[1]

    @cached_property
    def by_name(self) -> dict[str, Found]:
        return {each.name: found for each, found in self.found.items()}

    def of(self, side: Side) -> list[str]:
        return [each.name for each in self.found if each.side is side]

    def has(self, *names: str) -> bool:
        return all(name in self.by_name for name in names)

    def mean(self, name: str, measure: str) -> float:
        return self.by_name[name].means[measure]

    def gain(self, name: str, rival: str, measure: str) -> float:
        return self.mean(name, measure) - self.mean(rival, measure)

    def best(self, names: Iterable[str], measure: str) -> str:
        return max(names, key=lambda name: self.mean(name, measure))

    def resampled(self, name: str, measure: str) -> np.ndarray:
        """Means over resampled queries; the mean itself where values of queries are not saved."""
        spread = self._spreads.get(name)
        return self.mean(name, measure) + (np.zeros(RESAMPLES) if spread is None else spread[:, MEASURES.index(measure)])

    def has_values(self, names: Iterable[str]) -> bool:
        return all(name in self.by_name and self.by_name[name].values is not None for name in names)

    @cached_property
    def _spreads(self) -> dict[str, np.ndarray]:
        """Means over resampled queries minus the mean, by contestant."""
        saved = {name: found.values for name, found in self.by_name.items() if found.values is not None}
        if not saved:
            return {}
        together = np.hstack(list(saved.values()))
        spreads = resampled_means(together) - together.mean(axis=0)
        return dict(zip(saved, np.split(spreads, len(saved), axis=1), strict=True))


def difference_over_sets(outcomes: Sequence[Outcome], name: str, baseline: str, measure: str) -> Difference:
    """Difference of two contestants over sets on which both were run."""
    means = [each.gain(name, baseline, measure) for each in outcomes]
    return difference(means, [each.resampled(name, measure) - each.resampled(baseline, measure) for each in outcomes])

"""The search for C and j: on the paper's grid, extended where the most frequent choice is on its boundary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...arrays import Floats

#: By how many powers of two a grid is extended at a time, and how often on each side.
STEP, EXTENSIONS = 3, 3


class Setting(NamedTuple):
    """The exponents of C and j, powers of two."""

    C: int
    j: int


class Grid(NamedTuple):
    """Exponents of C and j, ascending. SVM-multi has no j: that is 2^0."""

    Cs: tuple[int, ...]
    js: tuple[int, ...] = (0,)

    @classmethod
    def of(cls, setting: Setting) -> Grid:
        """A grid of one setting."""
        return cls((setting.C,), (setting.j,))

    def __str__(self) -> str:
        return f"C {_powers(self.Cs)}" + ("" if self.js == (0,) else f", j {_powers(self.js)}")


class Searched(NamedTuple):
    """What was found on a grid.

    Attributes
    ----------
    grid : Grid
    values : array of shape (n_classes, n_Cs, n_js)
        On held-out rows; NaN for a class whose split cannot tell.
    """

    grid: Grid
    values: Floats

    @property
    def chosen(self) -> list[Setting]:
        """The best setting of each class.

        Of several that are equally good, often for rare classes, it is the one that is best in the mean over all classes;
        so it is where the split cannot tell.
        """
        n = len(self.values)
        by_setting, mean = self.values.reshape(n, -1), self._mean.ravel()
        told = zip(by_setting, self._told, strict=True)
        best = [np.where(values == values.max(), mean, -1.0) if is_told else mean for values, is_told in told]
        return [self._setting(int(np.argmax(each))) for each in best]

    @property
    def most_frequent(self) -> Setting | None:
        """The setting that most classes choose, of those whose split can tell; of equals, the best in the mean."""
        counts = Counter(setting for setting, is_told in zip(self.chosen, self._told, strict=True) if is_told)
        if not counts:
            return None
        return max(counts, key=lambda setting: (counts[setting], self._mean_of(setting)))

    @property
    def _told(self) -> list[bool]:
        """Whether the split of each class tells settings apart."""
        return [bool(np.isfinite(values).all() and values.min() < values.max()) for values in self.values]

    @property
    def _mean(self) -> Floats:
        known = self.values[np.isfinite(self.values).all(axis=(1, 2))]
        return known.mean(axis=0) if len(known) else np.zeros(self.values.shape[1:])

    def _mean_of(self, setting: Setting) -> float:
        return float(self._mean[self.grid.Cs.index(setting.C), self.grid.js.index(setting.j)])

    def _setting(self, place: int) -> Setting:
        C, j = np.unravel_index(place, self.values.shape[1:])
        return Setting(self.grid.Cs[C], self.grid.js[j])


def search(values_on: Callable[[Grid], Floats], grid: Grid, extensions: int = EXTENSIONS) -> Searched:
    """Find the value of each class at each setting of a grid, and of those beyond, as far as the paper's rule has it.

    Parameters
    ----------
    values_on : callable
        From a grid to its values; see `Searched`.
    grid : Grid
        To start with.
    extensions : int
        How often each side may be extended.
    """
    found = Searched(grid, values_on(grid))
    while True:
        before = found
        for axis in range(2):
            found = _extended(found, axis, grid[axis], values_on, STEP * extensions)
        if found is before:
            return found


def _extended(
    found: Searched, axis: int, first: tuple[int, ...], values_on: Callable[[Grid], Floats], furthest: int
) -> Searched:
    """With more exponents of C (axis 0) or j (axis 1), of which there were those of `first` to start with; or as it is."""
    most, grid = found.most_frequent, found.grid
    more = () if most is None or len(first) == 1 else _beyond(grid[axis], most[axis], first, furthest)
    if not more:
        return found
    added = grid._replace(**{grid._fields[axis]: more})
    parts = sorted([found, Searched(added, values_on(added))], key=lambda part: part.grid[axis])
    exponents = parts[0].grid[axis] + parts[1].grid[axis]
    values = np.concatenate([part.values for part in parts], axis=axis + 1)
    return Searched(grid._replace(**{grid._fields[axis]: exponents}), values)


def _beyond(exponents: tuple[int, ...], most: int, first: tuple[int, ...], furthest: int) -> tuple[int, ...]:
    """The exponents to add, if the most frequent one is on a boundary that may be moved."""
    if most == exponents[0] and most > first[0] - furthest:
        return tuple(range(most - STEP, most))
    if most == exponents[-1] and most < first[-1] + furthest:
        return tuple(range(most + 1, most + STEP + 1))
    return ()


def _powers(exponents: tuple[int, ...]) -> str:
    """In words: 2^-6 to 2^6."""
    steps = set(np.diff(exponents).tolist())
    if len(exponents) > 2 and steps != {1}:
        return ", ".join(f"2^{each}" for each in exponents)
    return f"2^{exponents[0]}" if len(exponents) == 1 else f"2^{exponents[0]} to 2^{exponents[-1]}"

"""Grid search for C and j on the paper's grid, extended if the most frequent choice is on its boundary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...arrays import Floats

#: Powers of two per extension of the grid, and maximum number of extensions on each side.
STEP, EXTENSIONS = 3, 3


class Setting(NamedTuple):
    """Exponents of C and j, as powers of two."""

    C: int
    j: int


class Grid(NamedTuple):
    """Ascending exponents of C and j; SVM-multi has no j, which is 2^0."""

    Cs: tuple[int, ...]
    js: tuple[int, ...] = (0,)

    @classmethod
    def single(cls, setting: Setting) -> Grid:
        """Grid of one setting."""
        return cls((setting.C,), (setting.j,))

    def __str__(self) -> str:
        return f"C {_format_powers(self.Cs)}" + ("" if self.js == (0,) else f", j {_format_powers(self.js)}")


class GridResult(NamedTuple):
    """Values on a grid.

    Attributes
    ----------
    grid : Grid
    values : array of shape (n_classes, n_Cs, n_js)
        Values on held-out rows; NaN for a class whose split has no positive rows on one side.
    """

    grid: Grid
    values: Floats

    @property
    def chosen(self) -> list[Setting]:
        """Best setting of each class.

        Ties, which are common for rare classes, are broken by the mean over all classes, which also decides if the split is
        not informative.
        """
        n = len(self.values)
        by_setting, mean = self.values.reshape(n, -1), self._mean.ravel()
        splits = zip(by_setting, self._informative, strict=True)
        best = [
            np.where(values == values.max(), mean, -1.0) if is_informative else mean for values, is_informative in splits
        ]
        return [self._setting(int(np.argmax(each))) for each in best]

    @property
    def most_frequent(self) -> Setting | None:
        """Setting chosen by most classes with an informative split; ties are broken by the mean."""
        counts = Counter(
            setting for setting, is_informative in zip(self.chosen, self._informative, strict=True) if is_informative
        )
        if not counts:
            return None
        return max(counts, key=lambda setting: (counts[setting], self._mean_of(setting)))

    @property
    def _informative(self) -> list[bool]:
        """Whether values differ between settings, for each class."""
        return [bool(np.isfinite(values).all() and values.min() < values.max()) for values in self.values]

    @property
    def _mean(self) -> Floats:
        known = self.values[np.isfinite(self.values).all(axis=(1, 2))]
        return known.mean(axis=0) if len(known) else np.zeros(self.values.shape[1:])

    def _mean_of(self, setting: Setting) -> float:
        return float(self._mean[self.grid.Cs.index(setting.C), self.grid.js.index(setting.j)])

    def _setting(self, index: int) -> Setting:
        C, j = np.unravel_index(index, self.values.shape[1:])
        return Setting(self.grid.Cs[C], self.grid.js[j])


def search_grid(evaluate_grid: Callable[[Grid], Floats], grid: Grid, extensions: int = EXTENSIONS) -> GridResult:
    """Evaluate each class at each setting of a grid, and extend the grid by the paper's rule.

    Parameters
    ----------
    evaluate_grid : callable
        Takes a grid and returns its values; see `GridResult`.
    grid : Grid
        Initial grid.
    extensions : int
        Maximum number of extensions on each side.
    """
    found = GridResult(grid, evaluate_grid(grid))
    while True:
        before = found
        for axis in range(2):
            found = _extend(found, axis, grid[axis], evaluate_grid, STEP * extensions)
        if found is before:
            return found


def _extend(
    found: GridResult, axis: int, first: tuple[int, ...], evaluate_grid: Callable[[Grid], Floats], max_distance: int
) -> GridResult:
    """Extend the exponents of C (axis 0) or j (axis 1), which were `first` initially; unchanged if not on a boundary."""
    most, grid = found.most_frequent, found.grid
    more = () if most is None or len(first) == 1 else _exponents_to_add(grid[axis], most[axis], first, max_distance)
    if not more:
        return found
    added = grid._replace(**{grid._fields[axis]: more})
    parts = sorted([found, GridResult(added, evaluate_grid(added))], key=lambda part: part.grid[axis])
    exponents = parts[0].grid[axis] + parts[1].grid[axis]
    values = np.concatenate([part.values for part in parts], axis=axis + 1)
    return GridResult(grid._replace(**{grid._fields[axis]: exponents}), values)


def _exponents_to_add(exponents: tuple[int, ...], most: int, first: tuple[int, ...], max_distance: int) -> tuple[int, ...]:
    """Exponents to add, if the most frequent one is on a boundary that can be moved."""
    if most == exponents[0] and most > first[0] - max_distance:
        return tuple(range(most - STEP, most))
    if most == exponents[-1] and most < first[-1] + max_distance:
        return tuple(range(most + 1, most + STEP + 1))
    return ()


def _format_powers(exponents: tuple[int, ...]) -> str:
    """Format exponents: 2^-6 to 2^6."""
    steps = set(np.diff(exponents).tolist())
    if len(exponents) > 2 and steps != {1}:
        return ", ".join(f"2^{each}" for each in exponents)
    return f"2^{exponents[0]}" if len(exponents) == 1 else f"2^{exponents[0]} to 2^{exponents[-1]}"

"""The search for C and j."""

from __future__ import annotations

import numpy as np
import pytest

from directrank.papers.joachims.grid_search import Grid, Searched, Setting, search

GRID = Grid(tuple(range(-6, 7)), tuple(range(8)))


def peaks(*best: tuple[int, int]):
    """Classes whose values fall with the distance from a setting; and the grids that were asked for."""
    asked = []

    def values_on(grid: Grid) -> np.ndarray:
        asked.append(grid)
        return np.array([[[1 / (1 + abs(C - c) + abs(j - k)) for k in grid.js] for c in grid.Cs] for C, j in best])

    return values_on, asked


def test_each_class_has_its_best_setting() -> None:
    values_on, asked = peaks((0, 3), (0, 3), (-6, 0))
    found = search(values_on, GRID)
    assert found.chosen == [(0, 3), (0, 3), (-6, 0)] and asked == [GRID]
    assert found.most_frequent == Setting(0, 3)


@pytest.mark.parametrize(
    ("best", "Cs", "js"),
    [
        ((-8, 3), range(-9, 7), range(8)),
        ((8, 3), range(-6, 10), range(8)),
        ((0, 9), range(-6, 7), range(11)),
        ((0, -1), range(-6, 7), range(-3, 8)),
        ((-11, 12), range(-12, 7), range(14)),
        ((-40, 40), range(-15, 7), range(17)),  # no further than that
    ],
)
def test_the_grid_is_extended_where_the_most_frequent_choice_is_on_its_boundary(
    best: tuple[int, int], Cs: range, js: range
) -> None:
    values_on, _ = peaks(best, best, (0, 3))
    found = search(values_on, GRID)
    assert found.grid == (tuple(Cs), tuple(js)) and found.values.shape == (3, len(Cs), len(js))
    np.testing.assert_array_equal(found.values, values_on(found.grid))
    wanted = Setting(max(best[0], Cs[0]), min(best[1], js[-1]))
    assert found.chosen == [wanted, wanted, (0, 3)]


def test_no_extension_where_there_is_no_j_or_none_is_wanted() -> None:
    values_on, asked = peaks((0, 3))
    assert search(values_on, Grid(GRID.Cs)).grid == Grid(GRID.Cs) and len(asked) == 1
    values_on, asked = peaks((9, 9))
    assert search(values_on, GRID, 0).chosen == [(6, 7)] and asked == [GRID]


def test_ties_and_classes_that_cannot_tell_take_what_is_best_in_the_mean() -> None:
    values = np.array([[[0.1], [0.9], [0.2]], [[0.5], [0.5], [0.4]], [[0.3], [0.3], [0.3]], [[np.nan]] * 3])
    found = Searched(Grid((-1, 0, 1)), values)
    assert found.chosen == [(0, 0)] * 4
    assert found.most_frequent == (0, 0)
    nothing = Searched(Grid((-1, 0, 1)), values[2:])
    assert nothing.most_frequent is None and nothing.chosen == [(-1, 0)] * 2


def test_a_grid_says_what_it_has() -> None:
    assert str(GRID) == "C 2^-6 to 2^6, j 2^0 to 2^7"
    assert str(Grid((-4, 0, 4))) == "C 2^-4, 2^0, 2^4"
    assert str(Grid.of(Setting(-3, 2))) == "C 2^-3, j 2^2" and str(Grid.of(Setting(0, 0))) == "C 2^0"

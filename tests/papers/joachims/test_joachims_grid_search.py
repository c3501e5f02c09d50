"""Grid search for C and j."""

from __future__ import annotations

import numpy as np
import pytest

from directrank.papers.joachims.grid_search import Grid, GridResult, Setting, search_grid

GRID = Grid(tuple(range(-6, 7)), tuple(range(8)))


def peaks(*best: tuple[int, int]):
    """Classes whose values fall with the distance from a setting, and the grids that were requested."""
    asked = []

    def evaluate_grid(grid: Grid) -> np.ndarray:
        asked.append(grid)
        return np.array([[[1 / (1 + abs(C - c) + abs(j - k)) for k in grid.js] for c in grid.Cs] for C, j in best])

    return evaluate_grid, asked


def test_each_class_has_its_best_setting() -> None:
    evaluate_grid, asked = peaks((0, 3), (0, 3), (-6, 0))
    found = search_grid(evaluate_grid, GRID)
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
        ((-40, 40), range(-15, 7), range(17)),  # the maximum extension
    ],
)
def test_grid_is_extended_if_the_most_frequent_choice_is_on_its_boundary(
    best: tuple[int, int], Cs: range, js: range
) -> None:
    evaluate_grid, _ = peaks(best, best, (0, 3))
    found = search_grid(evaluate_grid, GRID)
    assert found.grid == (tuple(Cs), tuple(js)) and found.values.shape == (3, len(Cs), len(js))
    np.testing.assert_array_equal(found.values, evaluate_grid(found.grid))
    wanted = Setting(max(best[0], Cs[0]), min(best[1], js[-1]))
    assert found.chosen == [wanted, wanted, (0, 3)]


def test_no_extension_without_j_or_with_no_extensions() -> None:
    evaluate_grid, asked = peaks((0, 3))
    assert search_grid(evaluate_grid, Grid(GRID.Cs)).grid == Grid(GRID.Cs) and len(asked) == 1
    evaluate_grid, asked = peaks((9, 9))
    assert search_grid(evaluate_grid, GRID, 0).chosen == [(6, 7)] and asked == [GRID]


def test_ties_and_uninformative_classes_take_the_best_mean() -> None:
    values = np.array([[[0.1], [0.9], [0.2]], [[0.5], [0.5], [0.4]], [[0.3], [0.3], [0.3]], [[np.nan]] * 3])
    found = GridResult(Grid((-1, 0, 1)), values)
    assert found.chosen == [(0, 0)] * 4
    assert found.most_frequent == (0, 0)
    nothing = GridResult(Grid((-1, 0, 1)), values[2:])
    assert nothing.most_frequent is None and nothing.chosen == [(-1, 0)] * 2


def test_grid_as_text() -> None:
    assert str(GRID) == "C 2^-6 to 2^6, j 2^0 to 2^7"
    assert str(Grid((-4, 0, 4))) == "C 2^-4, 2^0, 2^4"
    assert str(Grid.single(Setting(-3, 2))) == "C 2^-3, j 2^2" and str(Grid.single(Setting(0, 0))) == "C 2^0"

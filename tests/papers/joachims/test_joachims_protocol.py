"""Training rows, parameter selection, and stored rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from directrank.papers import Rows
from directrank.papers.joachims.comparison import compare_methods
from directrank.papers.joachims.data_sources import Collection
from directrank.papers.joachims.grid_search import Grid
from directrank.papers.joachims.hyperplane import Hyperplane
from directrank.papers.joachims.methods import MEASURES, MULTI, ORG, Method
from directrank.papers.joachims.protocol import Protocol, two_thirds


def test_split_of_each_class() -> None:
    positive = np.arange(99) < 50
    splits = [two_thirds(positive, number) for number in range(3)]
    assert [int(kept.sum()) for kept in splits] == [66] * 3
    assert not np.array_equal(splits[0], splits[1]) and np.array_equal(splits[1], two_thirds(positive, 1))


def test_two_positive_rows_are_enough_for_a_split() -> None:
    for number in range(20):
        kept = two_thirds(np.arange(99) < 2, number)
        assert kept.sum() == 66 and kept[:2].sum() == 1
    assert two_thirds(np.arange(99) < 1, 0).sum() == 66


class Recorder:
    """A method whose hyperplane is better the nearer C is to 2^1; it records its arguments."""

    def __init__(self) -> None:
        self.trained: list[tuple[int, Grid]] = []

    def __call__(self, X: np.ndarray, positive: np.ndarray, grid: Grid, tolerance: float) -> Iterator[Hyperplane]:
        self.trained.append((len(X), grid))
        centres = X[positive].mean(axis=0) - X[~positive].mean(axis=0)
        for C in grid.Cs:
            yield Hyperplane(centres if C == 1 else -centres, 0.0, C != 0)


def test_the_chosen_setting_is_trained_on_all_rows(collection: Collection, tmp_path: Path) -> None:
    train, grid = Recorder(), Grid((0, 1, 2))
    method = Method("method", ("ROCArea",), train)
    found = Protocol(collection, Rows(tmp_path / "rows.jsonl")).train(method, "ROCArea", grid)
    on_part, on_all = train.trained[:3], train.trained[3:]
    assert on_part == [(40, grid)] * 3  # the class of a single row cannot be split
    assert on_all == [(60, Grid((1,)))] * 4
    assert found.search.chosen == [(1, 0)] * 4 and found.solved == (3 * 2 + 4, 3 * 3 + 4)
    assert np.isnan(found.search.values[3]).all() and (found.values[:3] > 0.9).all()

    again = Protocol(collection, Rows(tmp_path / "rows.jsonl")).train(method, "ROCArea", grid)
    assert len(train.trained) == 7
    np.testing.assert_array_equal(again.values, found.values)
    assert (again.seconds, again.solved) == (found.seconds, found.solved)


def test_the_ordinary_svm_is_trained_once_for_all_measures(collection: Collection, tmp_path: Path) -> None:
    found = compare_methods(collection, Rows(tmp_path / "rows.jsonl"), quick=True)
    assert (tmp_path / "rows.jsonl").read_text().count("SVM-org, held out") == 4
    assert {*found.trained} == {*MEASURES} and all({*each} == {MULTI, ORG} for each in found.trained.values())
    assert found.gains("F1") == pytest.approx(found.values("F1", MULTI) - found.values("F1", ORG))
    assert 80 < found.values("ROCArea", ORG).mean() <= 100
    assert found.remarks()[0].startswith("60/60 examples, 3 features, 4 classes; made up")
    others = found.values("F1", MULTI)[:3].mean()  # the last class has a single row
    (remark,) = [remark for remark in found.remarks() if "positive row" in remark]
    assert remark.startswith("1 class") and f"F1 {others:.1f}/" in remark

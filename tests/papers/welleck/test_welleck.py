"""Welleck's experiments on small collections: reading, model selection, evaluation."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from directrank import RankingData, evaluate, write_letor
from directrank.data import InputError
from directrank.datasets import make_ranking
from directrank.papers import Rows, experiment
from directrank.papers.welleck import protocol
from directrank.papers.welleck.data_sources import LETOR, YAHOO

NAMES = [f"welleck/{each}" for each in ("table1", "table2", "table3", "figure2", "times", "auc")]


def part(seed: int, first: int) -> RankingData:
    data = make_ranking(12, (8, 12), n_noise=1, n_redundant=0, grades=(0.6, 0.25, 0.15), noise=0.3, random_state=seed)
    return RankingData(data.X, data.y, data.qid + first)


@pytest.fixture(scope="module")
def letor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two folds with the same numbers of test queries."""
    folder = tmp_path_factory.mktemp("letor")
    for i in (1, 2):
        (folder / f"Fold{i}").mkdir()
        for j, name in enumerate(("train", "vali", "test")):
            write_letor(folder / f"Fold{i}" / f"{name}.txt", part(3 * i + j, 100 * j))
    return folder


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows shared by the experiments."""
    return tmp_path_factory.mktemp("results") / "rows"


@pytest.mark.parametrize("name", NAMES)
def test_quick_run(name: str, letor: Path, kept: Path) -> None:
    found = experiment(name)
    outcome = found.run(LETOR.read(letor), Rows(kept), True)
    assert outcome.report is not None and len(outcome.report.qid) == 24
    values = [value for row in outcome.figures.values() for column, value in row.items() if column != "seconds"]
    assert values and all(0 <= value <= 1 for value in values)
    applicable = [claim.text for claim in found.claims if not claim.sources]
    assert [text for text, holds in found.check_claims(outcome, LETOR) if holds is not None] == applicable


def test_parameter_is_chosen_by_pooled_validation_value(letor: Path, tmp_path: Path) -> None:
    folds, method = LETOR.read(letor), protocol.SVM_PERF
    chosen = protocol.best_rows(folds, Rows(tmp_path / "rows"), False, "MAUC", {"SVM-Perf": method})["SVM-Perf"]
    models = [[method.fit(read(), "MAUC", C) for read in folds] for C in method.values]
    on_validation = [[pooled(m, read().validation) for m, read in zip(each, folds, strict=True)] for each in models]
    best = int(np.argmax(np.mean(on_validation, axis=1)))
    assert [row["validation"] for row in chosen] == on_validation[best]
    assert [row["MAUC"] for row in chosen] == [pooled(m, read().test) for m, read in zip(models[best], folds, strict=True)]
    test = folds[1]().test
    scores = models[best][1].predict(test.X)
    assert chosen[1]["classes"]["2"] == evaluate(test.y == 2, scores, protocol.single_query(test), "AUC")["AUC"]
    assert np.mean(list(chosen[1]["AP"].values())) == pytest.approx(evaluate(test.y, scores, test.qid, "AP")["AP"])


def pooled(model: Any, data: RankingData) -> float:
    return evaluate(data.y, model.predict(data.X), protocol.single_query(data), "MAUC")["MAUC"]


def test_number_of_trees_is_chosen_by_pooled_validation_value(letor: Path) -> None:
    fold = LETOR.read(letor)[0]()
    model = protocol.LAMBDAMART.fit(fold, "MAUC", 0.5)
    scores = model.predict(fold.validation.X)
    pooled = evaluate(fold.validation.y, scores, np.zeros(len(fold.validation), int), "MAUC")["MAUC"]
    assert max(step.evals["validation"]["MAUC"] for step in model.history_) == pytest.approx(pooled)


def test_grades_are_binarised(letor: Path, tmp_path: Path) -> None:
    found = protocol.best_rows(LETOR.read(letor), Rows(tmp_path / "rows"), True, "AUC", {"SVM-Perf": protocol.SVM_PERF})
    assert all(set(row["classes"]) == {"1"} and row["classes"]["1"] == row["AUC"] for row in found["SVM-Perf"])


def test_yahoo(tmp_path: Path) -> None:
    for i in (1, 2):
        for j, name in enumerate(("train", "valid", "test")):
            write_letor(tmp_path / f"set{i}.{name}.txt", part(3 * i + j, 0))
    plain = tmp_path / "set2.test.txt"
    (tmp_path / "set2.test.txt.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    first, second = (read() for read in YAHOO.read(tmp_path))
    assert np.array_equal(first.train.y, part(3, 0).y) and np.array_equal(second.test.y, part(8, 0).y)
    (tmp_path / "set1.valid.txt").unlink()
    with pytest.raises(InputError, match=r"no set1\.valid\.txt"):
        YAHOO.read(tmp_path)


@pytest.mark.parametrize(("source", "wanted"), [(LETOR, "Fold1"), (YAHOO, r"set1\.train\.txt")])
def test_invalid_folder(source: object, wanted: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=wanted):
        source.read(tmp_path)  # type: ignore[attr-defined]

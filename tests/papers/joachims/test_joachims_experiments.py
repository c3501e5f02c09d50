"""Published figures and claims of the experiments; quick runs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from directrank import InputError
from directrank.papers import Outcome, Rows, experiment
from directrank.papers.joachims.comparison import MethodComparison
from directrank.papers.joachims.data_sources import Collection
from directrank.papers.joachims.figure1 import mean_gains_by_bin
from directrank.papers.joachims.grid_search import Grid, GridResult
from directrank.papers.joachims.methods import MEASURES, MULTI, ORG
from directrank.papers.joachims.protocol import TrainedMethod
from directrank.papers.joachims.table1 import DATA, IMPROVEMENT, PUBLISHED, SOURCES, improvement

TABLE, FIGURE = experiment("joachims/table1"), experiment("joachims/figure1")


def test_published_figures_agree_with_each_other_and_with_the_text() -> None:
    shown = [(name, measure) for name in PUBLISHED for measure in MEASURES]
    differences, stars = [], []
    for name, measure in shown:
        block = PUBLISHED[name]
        text = str(block[IMPROVEMENT][measure])
        difference = float(re.match(r"[+-]?[\d.]+", text)[0])
        assert block[MULTI][measure] - block[ORG][measure] == pytest.approx(difference, abs=0.11), (name, measure)
        won, lost = map(int, re.search(r"\((\d+)/(\d+)\)", text).groups())
        assert won + lost <= block[DATA]["classes"]
        differences.append(difference)
        stars.append("*" in text)
    better, worse = (np.array(differences) > 0, np.array(differences) < 0)
    assert (better.sum(), worse.sum()) == (11, 4)
    assert ((better & stars).sum(), (worse & stars).sum()) == (6, 1)


def test_claims_hold_for_the_published_figures() -> None:
    for name, figures in PUBLISHED.items():
        judged = TABLE.check_claims(Outcome(figures), SOURCES[name])
        assert all(holds is True for _, holds in judged), (name, judged)
    said = {name: len(TABLE.check_claims(Outcome({}), source)) for name, source in SOURCES.items()}
    assert said == {"Reuters": 5, "ArXiv": 6, "Optdigits": 5, "Covertype": 4}
    assert all(claim.holds(Outcome({})) is None for claim in TABLE.claims + FIGURE.claims)


def test_claims_can_fail() -> None:
    turned = {
        MULTI: PUBLISHED["Reuters"][ORG],
        ORG: PUBLISHED["Reuters"][MULTI],
        IMPROVEMENT: dict.fromkeys(MEASURES, "-5 (1/9)*"),
    }
    assert [claim.holds(Outcome(turned)) for claim in TABLE.claims] == [False] * 6 + [True]


def test_improvement_is_formatted_as_in_the_paper() -> None:
    org = np.full(8, 50.0)
    assert improvement(org + np.arange(1, 9), org) == "+4.5 (8/0)**"
    assert improvement(org - [1, 2, 3, 4, 5, -6, 0, 0], org) == "-1.1 (1/5)"
    assert improvement(org + [1, 2, 3, 4, 5, 0, 0, 0], org) == "+1.9 (5/0)*"
    assert improvement(org, org) == "+0.0 (0/0)"


def found_with(sizes: list[int], gains: list[float]) -> MethodComparison:
    """Classes of given sizes, with given gains of SVM-multi by all measures."""
    labels = [[c for c, size in enumerate(sizes) if i < size] for i in range(max(sizes) + 1)]
    data = Collection.from_labels(np.zeros((len(labels), 1)), labels, np.zeros((len(labels), 1)), labels, "made up")
    searched = GridResult(Grid((0,)), np.zeros((len(sizes), 1, 1)))
    methods = {MULTI: 0.5 + np.array(gains), ORG: np.full(len(sizes), 0.5)}
    each = {name: TrainedMethod(searched, values, 1.0, (1, 1)) for name, values in methods.items()}
    return MethodComparison(data, dict.fromkeys(MEASURES, each))


def test_classes_are_binned_by_frequency() -> None:
    figures = mean_gains_by_bin(found_with([3, 20, 1, 9, 8, 30], [0.3, 0.0, 0.5, 0.2, 0.1, 0.2]))
    assert list(figures) == [
        "1: 30 to 20 examples", "2: 9 to 9 examples", "3: 8 to 8 examples", "4: 3 to 3 examples", "5: 1 to 1 examples",
    ]  # fmt: skip
    assert [each["classes"] for each in figures.values()] == [2, 1, 1, 1, 1]
    assert [each["F1"] for each in figures.values()] == pytest.approx([10, 20, 10, 30, 50])
    (claim,) = FIGURE.claims
    assert claim.holds(Outcome(figures)) is True
    assert claim.holds(Outcome(dict(zip(figures, reversed(figures.values()), strict=True)))) is False


def test_table_1_runs(collection: Collection, tmp_path: Path) -> None:
    outcome = TABLE.run(collection, Rows(tmp_path / "rows.jsonl"), True)
    assert list(outcome.figures) == [MULTI, ORG, IMPROVEMENT, DATA]
    assert all(list(outcome.figures[name]) == list(MEASURES) for name in (MULTI, ORG, IMPROVEMENT))
    assert list(outcome.figures[DATA].values()) == [60, 60, 3, 4]
    assert all(0 <= value <= 100 for name in (MULTI, ORG) for value in outcome.figures[name].values())
    assert outcome.report.names == [MULTI, ORG] and outcome.report.measures == list(MEASURES)
    assert outcome.figures[MULTI]["F1"] == pytest.approx(100 * outcome.report.means["F1"][MULTI].value)


def test_figure_1_runs(collection: Collection, tmp_path: Path) -> None:
    pytest.importorskip("altair")
    random = np.random.default_rng(1)
    labels = [[c for c in range(5) if random.random() < 0.5 / (c + 1)] for _ in range(80)]
    X = np.array([[c in row for c in range(5)] for row in labels]) + 0.2 * random.standard_normal((80, 5))
    data = Collection.from_labels(X[:50], labels[:50], X[50:], labels[50:], "made up")
    outcome = FIGURE.run(data, Rows(tmp_path / "rows.jsonl"), True)
    assert len(outcome.figures) == 5 and all(row["classes"] == 1 for row in outcome.figures.values())
    (draw,) = outcome.charts.values()
    drawn = draw().to_dict()["data"]["values"]
    assert {(row["classes"], row["measure"], row["improvement"]) for row in drawn} == {
        (name, measure, row[measure]) for name, row in outcome.figures.items() for measure in MEASURES
    }
    with pytest.raises(InputError, match="there are 4 classes, but joachims/figure1 needs at least 5"):
        FIGURE.run(collection, Rows(tmp_path / "others.jsonl"), True)

"""`evaluate`: its results, its input, and custom measures."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

import directrank
from directrank import InputError, Measure, MeasureError, Qrels, Run, compare_all, evaluate, evaluate_run
from directrank.measures import AP, parse
from directrank.measures.ranking.sorting import ranked


def test_means_and_queries() -> None:
    result = evaluate([1, 0, 0, 1, 0], [0.9, 0.2, 0.7, 0.5, 0.1], ["b", "b", "a", "a", "c"], ["AP", "nDCG@10"])
    assert result.qid.tolist() == ["b", "a", "c"]
    assert result.per_query["AP"].tolist() == [1.0, 0.5, 0.0]
    assert result.means["AP"] == result["AP"] == result["MAP"] == result[AP] == 0.5
    assert result.no_relevant == {"AP": 1, "nDCG@10": 1}
    assert "3 queries, 1 without relevant documents" in repr(result)
    with pytest.raises(InputError, match=r"^RR was not evaluated; there are AP, nDCG@10"):
        result["RR"]


def test_the_gain_is_shown_beside_its_measure() -> None:
    shown = repr(evaluate([2, 0, 1], [1.0, 2.0, 3.0], None, ["nDCG", "AP", "ndcg"]))
    assert "nDCG 0.6885 (gain 2^g - 1), AP " in shown and "(gain linear);" in shown


class FirstRow:
    """A custom measure that does not say how it treats equal scores."""

    def evaluate(self, scores: np.ndarray, grades: np.ndarray, offsets: np.ndarray) -> np.ndarray:
        return grades[offsets[:-1]]


class Averaged(FirstRow):
    tie_rule = "average"


@pytest.mark.parametrize(
    ("measure", "rule", "sentence"),
    [
        ("AP", "average", None),
        ("IPrec@0.5", "worst", "Equal scores: in the worst order."),
        ("AUPRC", "threshold", "Equal scores: sharing one threshold."),
        ("0.5*AP + 0.5*IPrec@0.5", "terms", "Equal scores: as in each term."),
        ("0.5*AP + 0.5*RR", "average", None),
        (FirstRow(), "custom", "Equal scores: in the order of the rows, unless the measure itself treats them."),
        (Averaged(), "average", None),
    ],
)
def test_equal_scores_are_described_as_the_measure_treats_them(measure: Any, rule: str, sentence: str | None) -> None:
    y, scores = [1, 0, 1, 0], [1.0, 1.0, 0.5, 0.5]
    for ties in (None, "average"):
        found = evaluate(y, scores, measures=[measure], ties=ties)
        assert list(found.ties.values()) == [rule] and found.notes() == ([] if sentence is None else [sentence])
        footer = compare_all({"a": found, "b": found}).sentences()[0]
        assert (sentence or "equal scores averaged over all their orders.").removeprefix("Equal scores: ") in footer
    broken = evaluate(y, scores, measures=[measure], ties="trec", docno=list("abcd"))
    assert broken.notes() == ["Equal scores: in trec_eval's order."]


def test_an_unknown_tie_rule_is_an_error() -> None:
    measure = Averaged()
    measure.tie_rule = "best"
    with pytest.raises(MeasureError, match=r"^Averaged: tie_rule must be one of average, .*, not 'best'$"):
        evaluate([1, 0], [1.0, 1.0], measures=[measure])


def test_scores_that_change_afterwards_do_not_change_the_result() -> None:
    scores = np.array([0.9, 0.2, 0.7, 0.5])
    result = evaluate(np.array([1.0, 0, 0, 1]), scores, [1, 1, 2, 2])
    scores *= -1
    assert result.require_ranking().scores.tolist() == [0.9, 0.2, 0.7, 0.5]


def test_frame() -> None:
    frame = evaluate([1, 0, 0, 1], [0.9, 0.2, 0.7, 0.5], [7, 7, 3, 3], ["AP", "RR"]).to_frame()
    pd.testing.assert_frame_equal(
        frame, pd.DataFrame({"AP": [1.0, 0.5], "RR": [1.0, 0.5]}, index=pd.Index([7, 3], name="qid"))
    )


def test_no_qid_is_one_query() -> None:
    result = evaluate([1, 0, 1], [3, 2, 1], measures="AP")
    assert result.qid.size == 1 and result["AP"] == pytest.approx((1 + 2 / 3) / 2)


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, lambda v: np.array(v, dtype=object)])
def test_any_kind_of_array(kind) -> None:
    result = evaluate(kind([1, 0, 0, 1]), kind([0.9, 0.2, 0.7, 0.5]), kind(["x", "x", "y", "y"]), ["AP"])
    assert result.means == {"AP": 0.75}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (dict(y=[], scores=[]), "the data is empty: y has no rows"),
        (dict(y=[1, 0], scores=[1]), "scores has 1 rows; expected 2"),
        (dict(y=[1, 0], scores=[1, 2], qid=[1]), "qid has 1 rows; expected 2"),
        (dict(y=[1, 0], scores=[1, np.nan]), "scores is NaN in row 1; every document needs a number"),
        (dict(y=[1, -2], scores=[1, 2]), "AP takes grades of at least 0, and row 1 has -2; gains estimated from clicks"),
        (dict(y=[np.nan, 0], scores=[1, 2]), "y is nan in row 0; every document needs a finite grade"),
        (dict(y=[[1, 0]], scores=[1, 2]), "y has 2 dimension(s); it must have one value per row"),
        (dict(y=["good", "bad"], scores=[1, 2]), "y must hold numbers"),
        (dict(y=[1, 0], scores=[1, 2], qid=[1.5, 2]), "qid must be integers or strings, but has fractions"),
        (dict(y=[1, 0], scores=[1, 2], qid=[None, "a"]), "qid is None in row 0; every row needs one"),
        (dict(y=[1, 0], scores=[1, 2], ties="trec"), "ties='trec' breaks ties by docno"),
        (dict(y=[1, 0], scores=[1, 2], ties="random"), "ties must be 'average' or 'trec', not 'random'"),
    ],
)
def test_bad_input_gets_one_sentence(arguments: dict, sentence: str) -> None:
    with pytest.raises((InputError, MeasureError)) as error:
        evaluate(**arguments)
    assert sentence in str(error.value) and "\n" not in str(error.value)


def test_no_measure_is_an_error() -> None:
    with pytest.raises(MeasureError, match="no measure was named"):
        evaluate([1], [1], measures=[])


def test_trec_ties_go_by_falling_docno_in_single_precision() -> None:
    y, docno = [1, 0, 0], ["a", "b", "c"]
    assert evaluate(y, [1, 1, 0.5], measures="RR", ties="trec", docno=docno)["RR"] == 0.5
    assert evaluate(y, [1 + 1e-12, 1, 0.5], measures="RR", ties="trec", docno=docno)["RR"] == 0.5
    assert evaluate(y, [1 + 1e-12, 1, 0.5], measures="RR")["RR"] == 1
    assert evaluate(y, [1, 1, 0.5], measures="RR")["RR"] == 0.75


def test_trec_ties_of_scores_beyond_single_precision() -> None:
    result = evaluate([1, 0, 1], [1e300, -1e300, 1e-50], measures=["Accuracy", "RR"], ties="trec", docno=list("abc"))
    assert result.means == {"Accuracy": pytest.approx(2 / 3), "RR": 1.0}


def test_trec_ties_leave_labels_alone() -> None:
    scores = [2.0, 2.0, -1.0, -1.0]
    args = dict(qid=[1, 1, 2, 2], measures=["F1", "Accuracy"])
    assert (
        evaluate([1, 0, 1, 0], scores, **args, ties="trec", docno=list("abcd")).means
        == evaluate([1, 0, 1, 0], scores, **args).means
    )


class HalfLife:
    """A class with one method is a measure."""

    def evaluate(self, scores, grades, offsets):
        scores, grades = ranked(scores, grades, offsets)
        return np.array(
            [np.sum(grades[lo:hi] * 0.5 ** np.arange(hi - lo)) for lo, hi in zip(offsets[:-1], offsets[1:], strict=True)]
        )


class Bottom(Measure):
    """As a `Measure` it has a name, too."""

    rel: float | None = None

    def evaluate(self, scores, grades, offsets):
        return np.array([float(hi - lo) for lo, hi in zip(offsets[:-1], offsets[1:], strict=True)])


def test_a_custom_measure() -> None:
    result = evaluate([0, 1, 2, 0], [1, 2, 1, 2], [1, 1, 2, 2], [HalfLife(), HalfLife, "AP", Bottom(rel=2), "bottom"])
    assert result.per_query["HalfLife"].tolist() == [1.0, 1.0]
    assert result.per_query["Bottom"].tolist() == [2.0, 2.0]
    assert result.no_relevant == {"HalfLife": 0, "AP": 0, "Bottom(rel=2)": 1, "Bottom": 0}


def test_a_custom_measure_from_a_module(tmp_path, monkeypatch) -> None:
    (tmp_path / "my_measures.py").write_text(
        "from directrank import Measure\n"
        "class Constant(Measure):\n"
        "    k: int = 1\n"
        "    def evaluate(self, scores, grades, offsets):\n"
        "        return (offsets[1:] - offsets[:-1]) * float(self.k)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert parse("my_measures:Constant@3").evaluate(np.zeros(2), np.zeros(2), np.array([0, 2])).tolist() == [6.0]
    sys.modules.pop("my_measures")
    Measure.registry.pop("constant")


class Scaled:
    def __init__(self, by: float, name: str | None = None) -> None:
        self.by = by
        if name:
            self.name = name

    def evaluate(self, scores, grades, offsets):
        return np.full(offsets.size - 1, self.by)


def test_two_measures_of_one_class() -> None:
    with pytest.raises(MeasureError, match="two measures are named Scaled; give them an attribute name that differs"):
        evaluate([1], [1], measures=[Scaled(1), Scaled(2)])
    assert evaluate([1], [1], measures=[Scaled(1), Scaled(2, "twice")]).means == {"Scaled": 1, "twice": 2}


def test_a_measure_that_gives_the_wrong_number_of_values() -> None:
    class Broken:
        def evaluate(self, scores, grades, offsets):
            return scores

    with pytest.raises(MeasureError, match=r"Broken.evaluate gave \(3,\) values where there are 2 queries"):
        evaluate([1, 0, 1], [1, 2, 3], [1, 1, 2], Broken())


def test_one_thread_gives_the_same_as_all() -> None:
    random = np.random.default_rng(0)
    y, scores, qid = random.integers(0, 3, 5000), random.integers(0, 99, 5000) / 3.0, random.integers(0, 200, 5000)
    names = ["AP", "nDCG@10", "RR", "P@5", "AUC", "MAUC", "ERR"]
    many = evaluate(y, scores, qid, names)
    before = directrank.get_num_threads()
    directrank.set_num_threads(1)
    try:
        one = evaluate(y, scores, qid, names)
    finally:
        directrank.set_num_threads(before)
    for name in names:
        np.testing.assert_array_equal(many.per_query[name], one.per_query[name])


def test_input_is_not_modified() -> None:
    y, scores = np.array([0.0, 1, 2]), np.array([1.0, 2, 3])
    evaluate(y, scores, measures=["AP", "nDCG", "MAUC", "ERR"])
    assert y.tolist() == [0, 1, 2] and scores.tolist() == [1, 2, 3]


def test_documents_missing_from_a_run_count() -> None:
    qrels = Qrels(["1", "1", "1", "2"], ["a", "b", "c", "a"], [1, 1, 0, 1])
    run = Run(["1", "1", "9"], ["a", "x", "a"], [2.0, 3.0, 1.0])
    result = evaluate_run(run, qrels, ["AP", "P@2"])
    assert result.qid.tolist() == [1, 2]
    assert result.per_query["AP"].tolist() == [0.25, 0.0]
    assert result.per_query["P@2"].tolist() == [0.5, 0.0]


def test_documents_that_were_not_judged() -> None:
    """They count as grade 0, but to measures that ask what was judged; a weighted sum asks for each of its terms."""
    y, scores, judged = [1, 0, 0, 1], [1.0, 4.0, 3.0, 2.0], np.array([True, False, True, True])
    names = ["AP", "AUC(grade=0)", "nDCG", "Bpref", "infAP", "Judged@2", "0.5*AP + 0.5*Bpref", "0.5*AUC(grade=0) + 0.5*AP"]
    found, all_judged = evaluate(y, scores, measures=names, judged=judged), evaluate(y, scores, measures=names)
    assert found["Bpref"] == 0 and found["Judged@2"] == 0.5 and all_judged["Judged@2"] == 1
    assert found["infAP"] != all_judged["infAP"]
    for name in ("AP", "AUC(grade=0)", "nDCG", "0.5*AUC(grade=0) + 0.5*AP"):
        assert found[name] == all_judged[name]
    assert found["0.5*AP + 0.5*Bpref"] == found["AP"] / 2
    assert evaluate([1, 0], [1.0, 2.0], measures="Bpref", judged=np.array([True, False]))["Bpref"] == 1
    for wrong in ([True], [1, 0], [1.0, np.nan]):
        with pytest.raises(InputError, match="judged must be an array of 2 truth values, one for each row"):
            evaluate([1, 0], [1.0, 2.0], judged=wrong)


def test_qrels_distinguish_judged_and_pooled_documents() -> None:
    qrels = Qrels(["1"] * 4, list("abcd"), [1, -1, 0, 1])
    run = Run(["1"] * 4, ["x", "b", "c", "a"], [4.0, 3.0, 2.0, 1.0])
    found = evaluate_run(run, qrels, ["AP", "Judged@4", "Bpref", "infAP", "MAUC"])
    assert found["AP"] == 1 / 4 / 2 and found["Judged@4"] == 0.75 and found["Bpref"] == 0
    assert found["infAP"] == pytest.approx((1 + 2 * 1e-5 / (1 + 2e-5)) / 4 / 2)
    assert found.ranking.grades.min() == 0


def test_the_geometric_mean_of_a_measure() -> None:
    result = evaluate([1, 0, 0, 1, 0], [2, 1, 2, 1, 1], [1, 1, 2, 2, 3], ["AP", "RR"])
    assert result.geometric_mean("AP") == pytest.approx((1 * 0.5 * 1e-5) ** (1 / 3))


def test_queries_that_a_run_lacks_count_0_by_every_measure() -> None:
    qrels = Qrels(["1", "1", "2", "2"], ["a", "b", "a", "b"], [1, 0, 1, 0])
    for ties in ("average", "trec"):
        found = evaluate_run(Run(["1", "1"], ["a", "b"], [2.0, 1.0]), qrels, ["AP", "AUC", "MAUC", "Accuracy"], ties=ties)
        assert found.qid.tolist() == [1, 2] and [values[1] for values in found.per_query.values()] == [0.0] * 4
        assert found["AUC"] == 0.5 and found.missing == 1

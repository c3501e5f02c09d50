"""Optional capabilities of measures, parameters included, and properties that learners use."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest

import directrank
from directrank import MeasureError, SVMRanker
from directrank.datasets import make_ranking
from directrank.measures import (
    Bound,
    Capability,
    SupportsDepths,
    SupportsLambdas,
    SupportsMostViolated,
    SupportsSmooth,
    SupportsViolationUnits,
    as_measure,
    bind,
    parse,
    require,
    supports,
)
from directrank.measures.name_parser import known_names, measure_class
from directrank.measures.testing import check_most_violated, small_queries

GRADES, OFFSETS = np.array([2.0, 0.0, 1.0, 0.0]), np.array([0, 4])
PROTOCOLS = {"lambdas": SupportsLambdas, "most_violated": SupportsMostViolated, "smooth": SupportsSmooth}


class _Bare:
    """A user's class with nothing but `evaluate`."""

    def evaluate(self, scores: Any, grades: Any, offsets: Any) -> Any:
        return np.ones(offsets.size - 1)


class _WithBind(_Bare):
    """A user's class with a bound measure of its own."""

    class Own(Bound):
        def lambdas(self, scores: Any) -> Any:
            return scores

    def bind(self, grades: Any, offsets: Any) -> Any:
        return self.Own(self, grades, offsets)


@pytest.mark.parametrize(
    ("name", "supported"),
    [
        ("AP", "lambdas most_violated smooth"),
        ("AP@10", "lambdas smooth"),
        ("nDCG@10", "lambdas most_violated smooth"),
        ("Success@1", "lambdas most_violated smooth violation_units"),
        ("Success@3", "lambdas smooth violation_units"),
        ("Success@2p", "smooth violation_units"),
        ("AUC", "lambdas most_violated smooth violation_units"),
        ("F1", "most_violated violation_units"),
        ("IPrec@0.1", ""),
        ("0.5*AP + 0.5*AUC", "lambdas most_violated smooth"),
        ("0.5*AP@10 + 0.5*AUC", "lambdas smooth"),
        ("0.5*AP + 0.5*IPrec@0.1", ""),
    ],
)
def test_supports_sees_parameters(name: str, supported: str) -> None:
    measure = parse(name)
    assert [each for each in get_args(Capability) if measure.supports(each)] == supported.split()
    assert [each for each in get_args(Capability) if supports(measure, each)] == supported.split()


@pytest.mark.parametrize("capability", PROTOCOLS)
def test_supported_methods_exist_and_work(capability: Any) -> None:
    width = (1.0,) if capability == "smooth" else ()
    for name in known_names():
        try:
            measure = measure_class(name)(**{"k": 2} if name in ("P", "R", "Success", "microP", "macroP") else {})
        except MeasureError:
            continue
        bound = measure.bind(GRADES, OFFSETS)
        if measure.supports(capability):
            assert isinstance(bound, PROTOCOLS[capability])
            assert len(getattr(bound, capability)(np.array([0.3, 0.2, 0.5, 0.1]), *width)) == 2
        elif isinstance(bound, PROTOCOLS[capability]):
            with pytest.raises(MeasureError, match=f"{measure.name} has no {capability}; "):
                getattr(bound, capability)(np.zeros(4), *width)


def test_measures_of_users() -> None:
    assert not any(supports(_Bare(), capability) for capability in get_args(Capability))
    assert supports(_WithBind(), "lambdas") and not supports(_WithBind(), "smooth")
    assert isinstance(bind(_WithBind(), GRADES, OFFSETS), SupportsLambdas)
    assert not isinstance(bind(_Bare(), GRADES, OFFSETS), SupportsLambdas)
    with pytest.raises(MeasureError, match="x needs lambdas, which _Bare does not have; measures that do: AP, ARP, AUC"):
        require(_Bare(), "lambdas", "x")
    total = directrank.measures.MeasureSum(terms=((0.5, _Bare()), (0.5, as_measure("AP"))))
    assert not any(total.supports(capability) for capability in get_args(Capability))


def test_a_subclass_with_its_own_evaluate_has_no_capability_of_the_family() -> None:
    class _Own(measure_class("AP")):  # type: ignore[misc]
        def evaluate(self, scores: Any, grades: Any, offsets: Any) -> Any:
            return np.ones(offsets.size - 1)

    assert not any(_Own().supports(capability) for capability in get_args(Capability))


def test_a_measure_without_an_oracle_is_rejected_before_the_fit() -> None:
    data = make_ranking(5, random_state=0)
    sentence = "SVMRanker needs most_violated, which AP@10 does not have; the most violated ranking is known for AP without"
    with pytest.raises(MeasureError, match=sentence):
        SVMRanker("AP@10").fit(data.X, data.y, data.qid)


@pytest.mark.parametrize("name", ["0.5*AP + 0.5*AUC", "0.3*nDCG@3 + 0.7*P@2", "1*RR + 2*AP"])
def test_the_slack_of_a_weighted_sum_is_a_bound(name: str) -> None:
    check_most_violated(parse(name), small_queries(count=60), exact=False)


TRUNCATED = {"RR", "RR@3", "ERR", "P@5", "R@5", "Success@1", "nDCG@10", "AP@10", "DCG@5", "RBP@10", "Rprec", "PRBEP"}
WHOLE = {"AP", "nDCG", "AUC", "AUPRC", "MAUC", "RBP", "F1", "IPrec@0.1", "Bpref", "0.5*AP + 0.5*AUC"}


def test_truncated_measures_see_the_top_only() -> None:
    assert {name for name in TRUNCATED | WHOLE if parse(name).truncated} == TRUNCATED
    assert parse("0.5*AP + 0.5*nDCG@10").truncated


def test_facts_of_measures() -> None:
    names = "AP", "RR", "Success@3", "ERR", "P@1"
    assert [name for name in names if parse(name).first_relevant_only] == ["RR", "Success@3"]
    assert [name for name in names if parse(name).set_above_cutoff] == ["Success@3", "P@1"]
    whole = {"nDCG(gain=linear)@5": "nDCG(gain=linear)", "nDCG": "nDCG", "AP@5": "AP", "ERR@5": "ERR", "RBP@5": "RBP"}
    assert {name: parse(name).without_cutoff.name for name in whole} == whole
    assert all(parse(name).without_cutoff is None for name in ("P@5", "RR@5", "AUC", "Rprec", "IPrec@0.5"))
    formulas = {name: parse(name).gain_formula for name in ("nDCG@10", "DCG(gain=linear)", "AP", "0.5*nDCG + 0.5*AP")}
    assert formulas == {"nDCG@10": "2^g - 1", "DCG(gain=linear)": "linear", "AP": None, "0.5*nDCG + 0.5*AP": "2^g - 1"}
    assert isinstance(parse("P@2p"), SupportsDepths) and not isinstance(parse("AP"), SupportsDepths)
    assert parse("P@2p").depths(np.array([0, 1, 3])).tolist() == [1, 2, 6]
    assert isinstance(parse("AUC"), SupportsViolationUnits) and parse("AUC").violation_units(5, 2) == (6, 6)


def test_dir_lists_all() -> None:
    for module in (directrank.measures, directrank.evaluation, directrank.evaluation.plots):
        assert dir(module) == sorted(module.__all__)
        assert all(hasattr(module, name) for name in module.__all__)
    assert not {"ranked", "grades_for"} & set(directrank.measures.__all__)

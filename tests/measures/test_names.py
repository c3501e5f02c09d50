"""Names: parsing, printing, equality, aliases, errors."""

from __future__ import annotations

import copy
import importlib
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from directrank.measures import (
    AP,
    AUC,
    ERR,
    F1,
    RBP,
    RR,
    F,
    IPrec,
    Measure,
    MeasureError,
    MeasureSum,
    P,
    PairAccuracy,
    Success,
    as_measure,
    name_of,
    nDCG,
    parse,
    require,
)
from directrank.measures.name_parser import known_names
from directrank.measures.naming import qualified_name_of


@pytest.mark.parametrize(
    ("measure", "name"),
    [
        (AP(), "AP"),
        (AP(rel=2), "AP(rel=2)"),
        (AP(rel=0.5, k=100), "AP(rel=0.5)@100"),
        (nDCG(k=10), "nDCG@10"),
        (nDCG(gain="linear", discount="jarvelin"), "nDCG(gain=linear, discount=jarvelin)"),
        (AUC(grade=2), "AUC(grade=2)"),
        (ERR(max_grade=2.0, k=20), "ERR(max_grade=2)@20"),
        (F(beta=2), "F(beta=2)"),
        (PairAccuracy(high=2.0, low=0), "PairAccuracy(high=2, low=0)"),
        (F(), "F1"),
        (F1(rel=2), "F1(rel=2)"),
        (P(k=5), "P@5"),
        (IPrec(k=0.1), "IPrec@0.1"),
        (IPrec(k=1.0, rel=2), "IPrec(rel=2)@1"),
        (RBP(p=0.95, k=20), "RBP(p=0.95)@20"),
    ],
)
def test_a_name_is_printed_and_parses_back(measure: Measure, name: str) -> None:
    assert str(measure) == repr(measure) == measure.name == name
    assert parse(name) == measure
    assert hash(parse(name)) == hash(measure)


@given(
    rel=st.none() | st.integers(1, 9) | st.floats(1e-3, 1e3),
    k=st.none() | st.integers(1, 10**6),
    kind=st.sampled_from([AP, RR]),
)
def test_every_name_parses_back(rel: float | None, k: int | None, kind: type[Measure]) -> None:
    measure = kind(rel=rel, k=k)
    assert parse(measure.name) == measure
    assert parse(measure.name).parameters() == measure.parameters()


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("MAP", "AP"),
        ("map@100", "AP@100"),
        ("MRR", "RR"),
        ("MRR@10", "RR@10"),
        ("NDCG@10", "nDCG@10"),
        ("NDCG", "nDCG"),
        ("ROCArea", "AUC"),
        ("WTA", "Success@1"),
        ("precision@5", "P@5"),
        ("F(beta=1)", "F1"),
        ("nDCG(gain='linear')@5", "nDCG(gain=linear)@5"),
        (" AP ( rel = 2 ) @ 3 ".replace(" (", "(").replace(") @ ", ")@"), "AP(rel=2)@3"),
    ],
)
def test_aliases(typed: str, name: str) -> None:
    assert parse(typed).name == name


def test_equal_by_name_only() -> None:
    assert F() == F1()
    assert AP(rel=2) == AP(rel=2.0)
    assert AP() != AP(rel=1)
    assert AP() != "AP"
    assert len({AP(), parse("MAP"), RR()}) == 2


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("nDGC@10", "there is no measure 'nDGC'; did you mean nDCG or DCG?"),
        ("MAPP", "did you mean MAP"),
        ("acuracy", "did you mean Accuracy"),
        ("xyzzy", "there is no measure 'xyzzy'; there are Accuracy, AP, ARP, AUC"),
        ("AP@0", "AP: k must be an integer between 1 and 2^62, not 0"),
        ("AP@ten", "AP: k must be an integer between 1 and 2^62, not 'ten'"),
        ("AP@1.5", "AP: k must be an integer between 1 and 2^62, not 1.5"),
        ("P@99999999999999999999", "P: k must be an integer between 1 and 2^62, not 99999999999999999999"),
        ("nDCG@9223372036854775807", "nDCG: k must be an integer between 1 and 2^62, not 9223372036854775807"),
        ("P@" + "9" * 5000, "P: k must be an integer between 1 and 2^62, not inf"),
        ("AP(rel=0)", "AP: rel must be a number above 0, not 0"),
        ("AP(rel=x)", "AP: rel must be a number above 0, not 'x'"),
        ("AP(depth=3)", "AP has no parameter 'depth'; it has rel, k"),
        ("MAUC(rel=2)", "MAUC has no parameter 'rel'; it has none"),
        ("AUC@5", "AUC has no cut-off; write AUC without @k"),
        ("AUC(rel=1, grade=2)", "AUC takes rel or grade, not both"),
        ("PairAccuracy(high=2)", "PairAccuracy needs two grades: write PairAccuracy(high=2, low=0), for example"),
        ("PairAccuracy(high=1, low=2)", "PairAccuracy: high must be above low, which is 2, not 1"),
        ("PairAccuracy(high=x, low=2)", "PairAccuracy: high must be a number of at least 0, not 'x'"),
        ("IPrec", "IPrec needs a level of recall: write IPrec@0.1, for example"),
        ("IPrec@1.5", "IPrec: k must be a recall between 0 and 1, not 1.5"),
        ("IPrec@x", "IPrec: k must be a recall between 0 and 1, not 'x'"),
        ("RBP(p=1)", "RBP: p must be a number between 0 and 1, not 1"),
        ("SetF(beta=0)", "SetF: beta must be a number above 0, not 0"),
        ("AP(rel=2, rel=3)", "gives rel twice"),
        ("AP(2)", "'2' is not of the form parameter=value"),
        ("P", "P needs a cut-off: write P@10, for example"),
        ("nDCG(gain=square)", "nDCG: gain must be exp or linear, not 'square'"),
        ("F(beta=0)", "F: beta must be a number above 0, not 0"),
        ("F1(beta=2)", "F1: beta must be 1; write F(beta=...) for another, not 2"),
        ("ERR(max_grade=0)", "ERR: max_grade must be a number above 0 and at most 1000, not 0"),
        ("WTA@5", "WTA is Success@1; name that measure to change it"),
        ("P(k=5)@10", "gives k twice"),
        ("AUC(grade=abc)", "AUC: grade must be a number of at least 0, not 'abc'"),
        ("F(beta=abc)", "F: beta must be a number above 0, not 'abc'"),
        ("F(beta=inf)", "F: beta must be a number above 0, not inf"),
        ("ERR(max_grade=abc)", "ERR: max_grade must be a number above 0 and at most 1000, not 'abc'"),
        (".a:B", "cannot import the measure .a:B"),
        ("AP(", "is not the name of a measure"),
        ("", "is not the name of a measure"),
        ("_AtK@3", "there is no measure"),
        ("no.such.module:Mine", "cannot import the measure no.such.module:Mine"),
        ("json:loads", "json:loads is not a measure: it has no method evaluate"),
    ],
)
def test_errors_say_what_to_do(typed: str, sentence: str) -> None:
    with pytest.raises(MeasureError) as error:
        parse(typed)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_measures_are_immutable_values() -> None:
    measure = nDCG(k=10)
    with pytest.raises(AttributeError):
        measure.k = 5  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(measure)) == copy.deepcopy(measure) == measure


def test_as_measure_takes_names_classes_and_objects() -> None:
    class Anything:
        def evaluate(self, scores, grades, offsets):
            return offsets[1:] - offsets[:-1]

    thing = Anything()
    assert as_measure("AP") == as_measure(AP) == as_measure(AP()) == AP()
    assert as_measure(thing) is thing and name_of(thing) == "Anything"
    with pytest.raises(MeasureError, match="has no method evaluate"):
        as_measure(3)  # type: ignore[arg-type]
    with pytest.raises(MeasureError, match="needs a cut-off"):
        as_measure(Success)


def test_parameters_are_named() -> None:
    with pytest.raises(TypeError):
        AP(10)


def _custom(name: str, module: str) -> type[Measure]:
    """A measure of another module."""

    def evaluate(self, scores, grades, offsets):
        return np.zeros(offsets.size - 1)

    return type(name, (Measure,), {"evaluate": evaluate, "__module__": module})


def test_our_names_are_ours_whatever_else_is_defined() -> None:
    other = _custom("AP", "somewhere")
    try:
        assert type(parse("AP")) is AP and type(parse("map")) is AP
        assert other().name == "AP" and other().qualified_name == "somewhere:AP" and other() != AP()
        assert known_names().count("AP") == 1
    finally:
        del Measure.registry["ap"]["somewhere"]


def test_a_name_that_two_modules_define_is_an_error_when_used() -> None:
    first, second = _custom("Twice", "one"), _custom("Twice", "two")
    try:
        assert first() != second() and first() == first()
        with pytest.raises(MeasureError, match="'Twice' is the name of several measures; write one:Twice or two:Twice"):
            parse("Twice")
        with pytest.raises(
            MeasureError, match="A learner needs lambdas, which F1 does not have; measures that do: AP, ARP, AUC"
        ):
            require("F1", "lambdas", "A learner")  # which lists all names
    finally:
        del Measure.registry["twice"]


def test_a_custom_measure_has_a_name_too() -> None:
    class Reach(Measure):
        k: int = 3

        def evaluate(self, scores, grades, offsets):
            return scores

    assert parse("reach@7") == Reach(k=7)
    assert str(Reach()) == "Reach@3"
    del Measure.registry["reach"]


MODULE = """
from directrank import Measure
from directrank.measures import F


class Deepest(Measure):
    rel: float = 1
    k: int = 3

    def evaluate(self, scores, grades, offsets):
        return scores[offsets[:-1]]


class Bare:
    set_above_cutoff = True
    without_cutoff = F()

    def evaluate(self, scores, grades, offsets):
        return scores[offsets[:-1]]


class Configured:
    def __init__(self, depth):
        self.depth = depth

    evaluate = Bare.evaluate


class Mild(F):
    pass
"""


@pytest.fixture
def custom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A module of custom measures that can be imported."""
    (tmp_path / "custom_measures.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    before = dict(Measure.registry)
    yield importlib.import_module("custom_measures")
    Measure.registry.clear()
    Measure.registry.update(before)
    del sys.modules["custom_measures"]


def test_qualified_names_parse_back(custom) -> None:
    deepest = custom.Deepest(rel=2, k=7)
    assert deepest.qualified_name == qualified_name_of(deepest) == "custom_measures:Deepest(rel=2)@7"
    assert parse(deepest.qualified_name) == deepest
    assert custom.Mild().qualified_name == "custom_measures:Mild" and parse("custom_measures:Mild") == custom.Mild()
    assert nDCG(k=10).qualified_name == qualified_name_of(nDCG(k=10)) == "nDCG@10"
    bare = parse("custom_measures:Bare")
    assert bare.set_above_cutoff and bare.without_cutoff == F() and not bare.first_relevant_only
    both = MeasureSum(terms=((0.5, deepest), (2, AP()), (1, custom.Bare())))
    assert both.name == "0.5*Deepest(rel=2)@7 + 2*AP + 1*Bare"
    assert both.qualified_name == "0.5*custom_measures:Deepest(rel=2)@7 + 2*AP + 1*custom_measures:Bare"
    assert parse(both.qualified_name) == both and parse(both.qualified_name).qualified_name == both.qualified_name


def test_a_class_with_evaluate_is_read_back_by_its_module(custom) -> None:
    assert qualified_name_of(custom.Bare()) == "custom_measures:Bare"
    found = parse("custom_measures:Bare")
    assert isinstance(found, Measure) and type(found.custom) is custom.Bare and found.name == "Bare"
    assert found == parse(found.qualified_name) and not found.supports("lambdas")
    assert found.bind(np.zeros(2), np.array([0, 2])).evaluate(np.zeros(2)).shape == (1,)
    for typed, sentence in [
        ("custom_measures:Bare@5", "Bare takes no parameters or cut-off; make it a subclass of Measure"),
        ("custom_measures:Bare(rel=2)", "Bare takes no parameters or cut-off"),
        ("custom_measures:Configured", "Configured cannot be made without arguments: "),
        ("custom_measures:Nothing", "cannot import the measure custom_measures:Nothing"),
    ]:
        with pytest.raises(MeasureError) as error:
            parse(typed)
        assert sentence in str(error.value)


@pytest.mark.parametrize("k", [10**10, 2**31, 2**62])
@pytest.mark.parametrize("name", ["AP", "nDCG", "DCG", "RR", "ERR", "R", "Success", "P"])
def test_a_cutoff_beyond_every_query_is_like_none(name: str, k: int) -> None:
    random = np.random.default_rng(0)
    offsets = np.array([0, 5, 5, 12, 13, 100])
    grades, scores = random.integers(0, 3, 100).astype(float), random.normal(size=100).round(1)
    far, near = (parse(f"{name}@{cutoff}").bind(grades, offsets) for cutoff in (k, 1000))
    scale = 1000 / k if name == "P" else 1.0  # the precision at k is of k documents
    np.testing.assert_allclose(far.evaluate(scores), near.evaluate(scores) * scale)
    if hasattr(far, "lambdas"):
        np.testing.assert_allclose(far.lambdas(scores), np.array(near.lambdas(scores)) * scale)
    if hasattr(far, "most_violated") and name in ("nDCG", "R", "RR", "P"):
        assert np.all(np.isfinite(far.most_violated(scores).coefficients))

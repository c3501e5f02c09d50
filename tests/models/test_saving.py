"""Models in files: round trips and errors."""

from __future__ import annotations

import json
import pickle
import stat
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from directrank import (
    CoordinateAscent,
    InputError,
    LambdaMART,
    MultivariateSVC,
    OneVsRestSVM,
    RankBoost,
    SVMRanker,
    evaluate,
    load_model,
    save_model,
)
from directrank.datasets import make_ranking
from directrank.measures import AP, Measure, MeasureError, parse
from directrank.models import LinearModel, Model, ModelError, SumOverGrades, dumps, loads

DATA = make_ranking(20, noise=0.2, random_state=0)

pytestmark = pytest.mark.filterwarnings("ignore:MultivariateSVC learned nothing")


class Halved(Measure):
    """A custom measure, with a parameter."""

    k: int | None = None

    def evaluate(self, scores, grades, offsets):
        return AP(k=self.k).evaluate(scores, grades, offsets) / 2


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_learner_and_its_model_are_saved_alike(tmp_path: Path, suffix: str) -> None:
    learner = SVMRanker("nDCG", C=3).fit(DATA.X, DATA.y, DATA.qid)
    one, other = tmp_path / f"one.json{suffix}", tmp_path / f"other.json{suffix}"
    save_model(one, learner)
    save_model(other, learner.model_)
    assert one.read_bytes() == other.read_bytes()
    model = load_model(one)
    np.testing.assert_array_equal(model.predict(DATA.X), learner.predict(DATA.X))
    assert model.provenance.measure == "nDCG" and model.provenance.parameters["C"] == 3
    assert model.provenance.training["slack"] == learner.slack_


def test_a_saved_model_keeps_the_mode_of_the_file_it_replaces(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text("old")
    path.chmod(0o600)
    save_model(path, SVMRanker().fit(DATA.X, DATA.y, DATA.qid))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_classifier_comes_back_as_its_decision_function() -> None:
    labels = np.where(DATA.y > 0, "good", "bad")
    classifier = MultivariateSVC("F1", C=0.1).fit(DATA.X, labels)
    model = loads(dumps(classifier))
    np.testing.assert_array_equal(model.predict(DATA.X), classifier.decision_function(DATA.X))
    assert model.classes == ["bad", "good"]


def test_a_sum_over_grades_keeps_its_parts() -> None:
    learner = OneVsRestSVM(C=1.0).fit(DATA.X, DATA.y, DATA.qid)
    model = loads(dumps(learner))
    parts = sum(c * part.predict(DATA.X) for c, part in zip(model.grades, model.models, strict=True))
    np.testing.assert_allclose(parts, model.predict(DATA.X))
    np.testing.assert_array_equal(model.linear.coef, learner.coef_)


def test_a_custom_measure_is_saved_by_its_module_and_found_again(tmp_path: Path) -> None:
    learner = CoordinateAscent(Halved(k=5), n_restarts=0, max_iter=1).fit(DATA.X, DATA.y, DATA.qid)
    save_model(tmp_path / "model.json", learner)
    origin = load_model(tmp_path / "model.json").provenance
    assert origin.measure == f"{__name__}:Halved@5" == origin.parameters["measure"]
    assert parse(origin.measure) == Halved(k=5)


EVIL = """
from pathlib import Path
from directrank.measures import AP
Path(__file__).with_name("ran").touch()
class X:
    def evaluate(self, scores, grades, offsets):
        return AP().evaluate(scores, grades, offsets)
"""


def file_that_names(measure: str, kind: str) -> str:
    """A model file whose measure is another."""
    learners = {
        "linear": SVMRanker(),
        "stumps": RankBoost(n_estimators=3),
        "trees": LambdaMART(n_estimators=2),
        "sum": OneVsRestSVM(),
    }
    content = json.loads(dumps(learners[kind].fit(DATA.X, DATA.y, DATA.qid)))
    content["provenance"] |= {"measure": measure, "parameters": {"measure": measure}}
    for part in content.get("models", []):
        part["provenance"] = content["provenance"]
    return json.dumps(content)


@pytest.mark.parametrize("measure", ["evil:X", "0.5*AP + 0.5*evil:X", " evil:X "])
@pytest.mark.parametrize("kind", ["linear", "stumps", "trees", "sum"])
def test_a_measure_named_in_a_file_is_not_imported(kind: str, measure: str, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "evil.py").write_text(EVIL)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "evil", raising=False)
    (tmp_path / "model.json").write_text(file_that_names(measure, kind))
    model = load_model(tmp_path / "model.json")
    model.predict(np.zeros((2, model.n_features)))
    again = pickle.loads(pickle.dumps(loads(dumps(model))))
    origins = [one.provenance for one in (model, again, *getattr(model, "models", []))]
    for name in [name for origin in origins for name in (origin.measure, origin.parameters["measure"])]:
        assert name == measure
        for use in (parse, lambda name: evaluate(DATA.y, DATA.y, DATA.qid, name), lambda name: fit(clone(SVMRanker(name)))):
            with pytest.raises(MeasureError, match="import evil first if you trust it, or load the model with trusted=True"):
                use(name)
    assert "evil" not in sys.modules and not (tmp_path / "ran").exists()
    trusted = load_model(tmp_path / "model.json", trusted=True)
    assert "evil" not in sys.modules
    for one in (trusted, *getattr(trusted, "models", [])):
        assert parse(one.provenance.measure).evaluate is not None and (tmp_path / "ran").exists()
    assert parse(model.provenance.measure).evaluate is not None  # now that it is imported


def fit(learner):
    return learner.fit(DATA.X, DATA.y, DATA.qid)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "nonsense",
        "[" * 100_000,
        '{"format": "other"}',
        '{"format": "directrank model, version 1"}',
        '{"format": 2}',
    ],
)
def test_invalid_model_files(text: str, tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text(text)
    with pytest.raises(ModelError, match=r"model\.json: this is"):
        load_model(tmp_path / "model.json")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"n_features": 17}, "it has 16 features and says 17"),
        (
            {"kind": "forest"},
            "unknown kind of model 'forest'; there are kernel expansion, linear, pipeline, selected features, ",
        ),
        ({"features": [99, 0, 0]}, "its features must be integers from 0 to 15"),
        ({"weights": [1.0]}, "its weights must have 3 numbers, one for each stump, and has 1"),
        ({"weights": ["one", 1.0, 1.0]}, "its weights must be numbers"),
        ({"thresholds": [float("nan"), 1.0, 1.0]}, "its thresholds must be finite numbers"),
        ({"features": [0.5, 0, 0]}, "its features must be integers"),
        ({"features": [2**70, 0, 0]}, "its features has a number that is too large"),
        ({"width": "many"}, "its width must be an integer"),
        ({"feature_names": ["a"]}, "it has 1 feature_names for 16 features"),
        ({"provenance": {"evil": 1}}, "not a complete one"),
    ],
)
def test_stumps_with_invalid_features_are_rejected(change: dict, sentence: str) -> None:
    content = json.loads(dumps(RankBoost(n_estimators=3).fit(DATA.X, DATA.y, DATA.qid)))
    loads(json.dumps(content))
    with pytest.raises(ModelError, match=sentence):
        loads(json.dumps(content | change))


@pytest.mark.parametrize(
    "part", ["coef", "intercept", "classes", "n_features", "feature_names", "provenance", "kind", "format"]
)
def test_a_model_that_lacks_a_part_is_rejected(part: str, tmp_path: Path) -> None:
    content = json.loads(dumps(SVMRanker().fit(DATA.X, DATA.y, DATA.qid)))
    del content[part]
    (tmp_path / "model.json").write_text(json.dumps(content))
    with pytest.raises(ModelError, match=rf"model\.json: .*not a complete one: it lacks the field '{part}'"):
        load_model(tmp_path / "model.json")


LINEAR = {
    "format": "directrank model, version 2",
    "kind": "linear",
    "n_features": 2,
    "feature_names": ["a", "b"],
    "provenance": {"learner": "SVMRanker", "parameters": {}, "measure": "AP", "version": "0.1.0", "training": {"C": 1.0}},
    "coef": [1.0, 2.0],
    "intercept": 0.5,
    "classes": None,
}
LINEAR_TEXT = json.dumps(LINEAR)


def with_history(history: object) -> str:
    return json.dumps(LINEAR | {"provenance": LINEAR["provenance"] | {"history": history}})


def test_files_without_a_history_load_as_before() -> None:
    model = loads(LINEAR_TEXT)
    assert model.provenance.history == {} and model.provenance.training == {"C": 1.0}
    assert loads(dumps(model)).provenance == model.provenance


def test_a_history_comes_back_with_its_holes() -> None:
    history = {"training": [0.5, None, 1], "validation": [None, None, None]}
    model = loads(with_history(history))
    assert model.provenance.history == history and type(model.provenance.history["training"][2]) is float
    assert loads(dumps(model)).provenance == model.provenance


@pytest.mark.parametrize(
    ("damaged", "sentence"),
    [
        (LINEAR_TEXT.replace("[1.0,", "[" * 100_000 + "1.0,"), "it is nested too deeply"),
        (LINEAR_TEXT.replace('"AP"', '"AP", "x": ' + "[" * 500 + "]" * 500), "it is nested more than 32 levels deep"),
        (LINEAR_TEXT.replace('"a"', '"\\ud800"'), r"it has text that is not Unicode, '\ud800'"),
        (LINEAR_TEXT.replace('"AP"', '"\\udfff"'), r"it has text that is not Unicode, '\udfff'"),
        (LINEAR_TEXT.replace('"parameters": {}', '"parameters": {"\\ud800": 1}'), "it has text that is not Unicode"),
        (LINEAR_TEXT.replace("1.0, 2.0", "1.0, NaN"), "its coef must be finite numbers"),
        (LINEAR_TEXT.replace("1.0, 2.0", "1.0, -Infinity"), "its coef must be finite numbers"),
        (LINEAR_TEXT.replace("1.0, 2.0", "1.0, 1e400"), "its coef must be finite numbers"),
        (LINEAR_TEXT.replace("1.0, 2.0", "1.0, " + "9" * 400), "its coef has a number that is too large"),
        (LINEAR_TEXT.replace("1.0, 2.0", "1.0, " + "9" * 5000), "it has an integer with too many digits"),
        (LINEAR_TEXT.replace('"intercept": 0.5', '"intercept": ' + "9" * 400), "its intercept must be a finite number"),
        (LINEAR_TEXT.replace('"intercept": 0.5', '"intercept": true'), "its intercept must be a finite number"),
        (LINEAR_TEXT.replace('"kind"', '"coef": [], "kind"'), "it has the field 'coef' twice"),
        (LINEAR_TEXT.replace('"C": 1.0', '"C": 1.0, "C": 1.0'), "it has the field 'C' twice"),
        (LINEAR_TEXT.replace('"C": 1.0', '"C": "one"'), "its provenance's training figure 'C' must be a number"),
        (LINEAR_TEXT.replace('"n_features": 2', '"n_features": true'), "its n_features must be an integer of at least 1"),
        (LINEAR_TEXT.replace('"n_features": 2', '"n_features": 2.0'), "its n_features must be an integer of at least 1"),
        (LINEAR_TEXT.replace('["a", "b"]', '"ab"'), "its feature_names must be a list of names"),
        (LINEAR_TEXT.replace('["a", "b"]', '["a", 3]'), "its feature_names must be a list of names"),
        (LINEAR_TEXT.replace("[1.0, 2.0]", "[[1.0, 2.0]]"), "its coef must be numbers"),
        (LINEAR_TEXT.replace("[1.0, 2.0]", "3.0"), "its coef must be a list of numbers, not a number"),
        (LINEAR_TEXT.replace("[1.0, 2.0]", "[true, 2.0]"), "its coef must be numbers"),
        (LINEAR_TEXT.replace("[1.0, 2.0]", "[]"), "its coef must be a list of numbers, one for each feature"),
        (LINEAR_TEXT.replace('"classes": null', '"classes": [1]'), "its classes must be a list of two labels, or null"),
        (LINEAR_TEXT.replace('"measure": "AP"', '"measure": 3'), "its provenance has a measure of the wrong type"),
        (with_history([1.0]), "its provenance has a history of the wrong type"),
        (with_history(None), "its provenance has a history of the wrong type"),
        (with_history({"gap": 1.0}), "its provenance's history 'gap' must be a list of numbers"),
        (with_history({"gap": {"1": 1.0}}), "its provenance's history 'gap' must be a list of numbers"),
        (with_history({"gap": "123"}), "its provenance's history 'gap' must be a list of numbers"),
        (with_history({"gap": ["1"]}), "its provenance's history 'gap' must be a finite number"),
        (with_history({"gap": [[1.0]]}), "its provenance's history 'gap' must be a finite number"),
        (with_history({"gap": [True]}), "its provenance's history 'gap' must be a finite number"),
        (with_history({"gap": [float("nan")]}), "its provenance's history 'gap' must be a finite number"),
        (with_history({"gap": [1.0, float("inf")]}), "its provenance's history 'gap' must be a finite number"),
        (with_history({"gap": [10**400]}), "its provenance's history 'gap' must be a finite number"),
        (with_history({"a": [1.0], "b": []}), "its provenance's history must have curves of one length"),
        (with_history({"a\n" * 100: 1}), "its provenance's history 'a\\na\\na"),
        (LINEAR_TEXT.replace('"kind": "linear"', '"kind": []'), "unknown kind of model []"),
        (LINEAR_TEXT[:-1], "it is not JSON"),
        (LINEAR_TEXT + "x", "it is not JSON"),
        ("3", "there must be an object with the field 'format', not a number"),
        (b"\xff\xfe" + LINEAR_TEXT.encode(), "it is not UTF-8 text (byte 0)"),
    ],
)
def test_a_damaged_file_gets_one_sentence_that_names_it(damaged: str | bytes, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(LINEAR_TEXT)
    assert load_model(path).predict([[1.0, 1.0]]).tolist() == [3.5]
    path.write_bytes(damaged if isinstance(damaged, bytes) else damaged.encode())
    with pytest.raises(ModelError) as error:
        load_model(path)
    assert str(error.value).startswith(f"{path}: this is not a model of directrank")
    assert sentence in str(error.value) and "\n" not in str(error.value)
    str(error.value).encode()


def test_sums_that_overflow_are_rejected() -> None:
    model = SumOverGrades(np.array([1e200, 1.0]), [LinearModel(np.full(2, 1e200)), LinearModel(np.ones(2))])
    with pytest.raises(ModelError, match="its grades and models are too large: their sum is not finite"):
        loads(dumps(model))


@pytest.mark.parametrize(
    ("model", "sentence"),
    [(object(), "object is neither a model nor a fitted learner"), (SVMRanker(), "SVMRanker is neither a model nor a")],
)
def test_objects_without_a_model(model: object, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=sentence):
        save_model(tmp_path / "model.json", model)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("Cs", [range(1, 3), np.array([1.0, 2.0]), (1, 2)])
def test_parameters_of_any_type_are_noted(Cs) -> None:
    learner = SVMRanker("AP", C="auto", Cs=Cs).fit(DATA.X, DATA.y, DATA.qid)
    assert loads(dumps(learner)).provenance.parameters["Cs"] == [1, 2]


def test_the_intercepts_of_a_sum_count() -> None:
    model = SumOverGrades(np.array([1.0, 3.0]), [LinearModel(np.ones(2), 0.5), LinearModel(np.ones(2), 2.0)])
    assert loads(dumps(model)).predict([[1.0, 1.0]]).tolist() == [2 + 0.5 + 3 * (2 + 2.0)]


def test_a_random_state_is_not_kept() -> None:
    learner = CoordinateAscent(n_restarts=0, max_iter=1, random_state=np.random.RandomState(0)).fit(DATA.X, DATA.y, DATA.qid)
    assert loads(dumps(learner)).provenance.parameters["random_state"] is None


def test_rows_that_do_not_fit_are_rejected() -> None:
    model = LinearModel(np.ones(3))
    with pytest.raises(InputError, match="X has 2 features, and the model has 3"):
        model.predict(np.ones((4, 2)))


def test_a_model_prints_in_two_lines() -> None:
    names = [f"feature_{number}" for number in range(DATA.n_features)]
    model = LambdaMART("nDCG@10", n_estimators=3).fit(DATA.X, DATA.y, DATA.qid).model_
    first, second = repr(model.with_feature_names(names)).splitlines()
    assert first.startswith("TreesModel of 16 features: feature_0, feature_1, ") and first.endswith(" ...")
    assert len(first) <= 100 and second == "learned by LambdaMART for nDCG@10"
    assert str(model) == repr(model) == "TreesModel of 16 features\nlearned by LambdaMART for nDCG@10"
    assert repr(loads(dumps(model))) == repr(model)
    assert repr(LinearModel(np.ones(1), feature_names=("a\nb",))) == "LinearModel of 1 feature: 'a\\nb'"


@pytest.mark.parametrize("kind", sorted(Model.kinds))
def test_no_kind_of_model_prints_all_its_fields(kind: str) -> None:
    assert Model.kinds[kind].__repr__ is Model.__repr__

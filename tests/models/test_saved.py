"""Models as text."""

import numpy as np
import pytest

from directrank import CoordinateAscent, MultivariateSVC, RankBoost, RankSVM, SVMRanker
from directrank.datasets import make_ranking
from directrank.measures import AP
from directrank.models import ModelError, dumps, loads

DATA = make_ranking(20, noise=0.2, random_state=0)

pytestmark = pytest.mark.filterwarnings("ignore:MultivariateSVC learned nothing")


@pytest.mark.parametrize("model", [SVMRanker("nDCG", C=3), RankSVM(C=2.5), SVMRanker("AP", C="auto", Cs=[1.0, 10.0])])
def test_a_ranker_predicts_the_same_after_a_round_trip(model) -> None:
    model.fit(DATA.X, DATA.y, DATA.qid)
    again = loads(dumps(model, DATA.feature_names))
    np.testing.assert_array_equal(again.predict(DATA.X), model.predict(DATA.X))
    assert type(again) is type(model) and str(again.measure) == str(model.measure) and again.slack_ == model.slack_


@pytest.mark.parametrize("name", ["F1", "PRBEP"])
def test_a_classifier_predicts_the_same_after_a_round_trip(name: str) -> None:
    labels = np.where(DATA.y > 0, "good", "bad")
    model = MultivariateSVC(name, C=0.1).fit(DATA.X, labels)
    np.testing.assert_array_equal(loads(dumps(model)).predict(DATA.X), model.predict(DATA.X))


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "nonsense", '{"format": "other"}', '{"format": "directrank model, version 1"}']
)
def test_what_is_not_a_model(text: str) -> None:
    with pytest.raises(ModelError, match="this is"):
        loads(text)


def test_a_model_of_another_width_is_refused() -> None:
    text = dumps(SVMRanker().fit(DATA.X, DATA.y, DATA.qid)).replace('"n_features_in_": 16', '"n_features_in_": 17')
    with pytest.raises(ModelError, match="its coef_ must be 17 finite numbers"):
        loads(text)


def test_a_measure_of_a_class_and_values_of_c_in_a_tuple() -> None:
    again = loads(dumps(SVMRanker(AP, C="auto", Cs=(1, 10)).fit(DATA.X, DATA.y, DATA.qid)))
    assert again.measure == "AP" and list(again.Cs) == [1, 10]
    again.fit(DATA.X, DATA.y, DATA.qid)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('"features_": [\n   ', '"features_": [\n   99', "its features_ must be numbers from 0 to 15"),
        ('"alphas_": [\n', '"alphas_": [\n   1.0,\n', "its alphas_ must be"),
        ('"alphas_": [\n', '"alphas_": [\n   "one",\n', "its alphas_ must be"),
        ('"thresholds_"', '"other_"', "not a whole one"),
        ('"thresholds_": [\n', '"thresholds_": [\n   NaN,\n', "its thresholds_ must be"),
        ('"features_": [\n', '"features_": [\n   0.5,\n', "its features_ must be whole numbers"),
        ('"features_": [\n', '"features_": [\n   1180591620717411303424,\n', "not a whole one"),
    ],
)
def test_weak_rankers_that_point_nowhere_are_refused(old: str, new: str, sentence: str) -> None:
    text = dumps(RankBoost(3).fit(DATA.X, DATA.y, DATA.qid))
    assert old in text
    with pytest.raises(ModelError, match=sentence):
        loads(text.replace(old, new))


def test_what_is_not_ours() -> None:
    with pytest.raises(ModelError, match="object is not a learner of directrank"):
        dumps(object())


def test_a_random_state_is_not_kept() -> None:
    model = CoordinateAscent(n_restarts=0, max_iter=1, random_state=np.random.RandomState(0)).fit(DATA.X, DATA.y, DATA.qid)
    again = loads(dumps(model))
    assert again.random_state is None
    np.testing.assert_array_equal(again.coef_, model.coef_)

"""Ensembles selected from a library of models."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.utils.validation import check_is_fitted

from directrank import AdaRank, EnsembleSelection, InputError, LambdaMART, RankBoost, RankSVM, evaluate
from directrank.datasets import make_ranking
from directrank.fusion import select_models
from directrank.models import LinearModel, ModelError, dumps, loads

TRAIN, OTHER = make_ranking(25, random_state=0), make_ranking(30, random_state=1)
LEARNERS = [
    RankSVM(C=1.0),
    RankSVM(C=100.0),
    AdaRank("AP"),
    RankBoost(n_estimators=20),
    LambdaMART("AP", n_estimators=10, num_leaves=4, min_child_samples=5),
]
LIBRARY = [learner.fit(TRAIN.X, TRAIN.y, TRAIN.qid) for learner in LEARNERS]


def mean_ap(model) -> float:
    return evaluate(OTHER.y, model.predict(OTHER.X), OTHER.qid, "AP")["AP"]


def test_the_ensemble_is_a_model_that_is_no_worse_than_any_of_the_library() -> None:
    model = select_models(LIBRARY, OTHER.X, OTHER.y, OTHER.qid)
    assert mean_ap(model) >= max(map(mean_ap, LIBRARY)) - 1e-9
    members = [learner.model_ for learner in LIBRARY if any(learner.model_ is part for part in model.models)]
    assert len(members) == len(model.models) >= 2
    wanted = sum(weight * part.predict(OTHER.X) for weight, part in zip(model.weights, model.models, strict=True))
    np.testing.assert_allclose(model.predict(OTHER.X), wanted)
    again = loads(dumps(model))
    np.testing.assert_array_equal(again.predict(OTHER.X), model.predict(OTHER.X))
    assert again.provenance.learner == "EnsembleSelection" and again.provenance.measure == "AP"


def test_the_scale_of_a_models_scores_does_not_matter() -> None:
    coefs = [LIBRARY[0].coef_, LIBRARY[2].coef_]
    one, other = (
        select_models([LinearModel(coefs[0]), LinearModel(scale * coefs[1])], OTHER.X, OTHER.y, OTHER.qid)
        for scale in (1.0, 1e6)
    )
    np.testing.assert_allclose(one.predict(OTHER.X), other.predict(OTHER.X), rtol=1e-9)


def test_a_selection_of_ones_own_stays_unfitted() -> None:
    selection = EnsembleSelection("nDCG@5", n_estimators=5, n_bags=3)
    model = select_models(LIBRARY, OTHER.X, OTHER.y, OTHER.qid, selection=selection)
    assert model.provenance.measure == "nDCG@5" and model.provenance.parameters["n_bags"] == 3
    with pytest.raises(NotFittedError):
        check_is_fitted(selection, "model_")


def test_models_of_named_features() -> None:
    frame = pd.DataFrame(dict(zip(TRAIN.feature_names, TRAIN.X.T, strict=True)))
    named = RankSVM(C=1.0).fit(frame, TRAIN.y, TRAIN.qid)
    model = select_models([named, LIBRARY[2]], OTHER.X, OTHER.y, OTHER.qid)
    assert model.feature_names == tuple(TRAIN.feature_names)
    reverse = RankSVM(C=1.0).fit(frame[TRAIN.feature_names[::-1]], TRAIN.y, TRAIN.qid)
    with pytest.raises(
        InputError, match="the models must have the same features in the same order, but their feature names"
    ):
        select_models([named, reverse], frame, TRAIN.y, TRAIN.qid)


def test_what_is_no_library_is_refused() -> None:
    with pytest.raises(InputError, match="there is no model to select from"):
        select_models([], OTHER.X, OTHER.y, OTHER.qid)
    for other in (RankSVM(), Ridge().fit(OTHER.X, OTHER.y)):
        with pytest.raises(ModelError, match=f"{type(other).__name__} is neither a model nor a fitted learner"):
            select_models([LIBRARY[0], other], OTHER.X, OTHER.y, OTHER.qid)
    with pytest.raises(InputError, match="models must be a list of models or fitted learners, not RankSVM"):
        select_models(LIBRARY[0], OTHER.X, OTHER.y, OTHER.qid)
    with pytest.raises(InputError, match=r"selection must be a learner, such as .*'AP'.*, not 'AP'"):
        select_models(LIBRARY, OTHER.X, OTHER.y, OTHER.qid, selection="AP")
    with pytest.raises(InputError, match="the models must have the same features, but have 2, 16"):
        select_models([LIBRARY[0], LinearModel(np.ones(2))], OTHER.X, OTHER.y, OTHER.qid)

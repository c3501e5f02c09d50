"""Pipelines as models: the scores of scikit-learn's own pipeline, in files and in exports."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from directrank import AdaRank, InputError, LambdaMART, RankBoost, RankSVM, load_model, routing, save_model
from directrank.datasets import make_ranking
from directrank.features import QueryMinMax, QueryPercentile, ScoreBinner
from directrank.models import LinearModel, ModelError, PipelineModel, as_model, dumps, loads
from directrank.models.export import to_lightgbm, to_python, to_solr
from directrank.models.export.targets import TARGETS

DATA = make_ranking(10, random_state=0)
SHUFFLED = np.random.default_rng(1).permutation(len(DATA))
COLUMN_SCALERS = [StandardScaler(), StandardScaler(with_mean=False), MinMaxScaler((-1, 3)), MaxAbsScaler()]
WITHIN_QUERIES = [QueryMinMax(), QueryPercentile()]


def fitted(*steps, X=DATA.X):
    with routing():
        return make_pipeline(*steps).fit(X, DATA.y, qid=DATA.qid)


@pytest.mark.parametrize("scaler", [*WITHIN_QUERIES, *COLUMN_SCALERS, ScoreBinner(5)], ids=repr)
@pytest.mark.parametrize("learner", [RankSVM(C=1.0), LambdaMART("nDCG", n_estimators=3)], ids=repr)
def test_a_saved_pipeline_scores_as_the_pipeline_does(tmp_path: Path, scaler, learner) -> None:
    pipeline = fitted(scaler, learner)
    save_model(tmp_path / "model.json", pipeline)
    model = load_model(tmp_path / "model.json")
    X, qid = DATA.X[SHUFFLED], DATA.qid[SHUFFLED]
    with routing():
        expected = pipeline.predict(X, qid=qid) if scaler in WITHIN_QUERIES else pipeline.predict(X)
    np.testing.assert_array_equal(model.predict(X, qid=qid), expected)
    assert model.needs_qid == (scaler in WITHIN_QUERIES)
    assert model.provenance.learner == type(learner).__name__ and model.provenance.training == (
        as_model(pipeline[-1]).provenance.training
    )
    assert loads(dumps(model)).to_dict() == model.to_dict()


def test_several_steps_by_the_names_of_a_frame() -> None:
    frame = pd.DataFrame(DATA.X, columns=[f"x{j}" for j in range(DATA.n_features)])
    pipeline = fitted(StandardScaler(), "passthrough", QueryMinMax(), ScoreBinner(3), RankSVM(C=1.0), X=frame)
    model = loads(dumps(pipeline))
    with routing():
        expected = pipeline.predict(frame, qid=DATA.qid)
    assert model.feature_names == tuple(frame.columns)
    np.testing.assert_array_equal(model.predict(frame[frame.columns[::-1]], qid=DATA.qid), expected)
    assert all(name.partition(" > ")[0] in frame.columns for name in model.importances().names)
    with pytest.raises(InputError, match="the data lacks the feature 'x0'"):
        model.predict(frame.drop(columns="x0"), qid=DATA.qid)


def test_without_queries_nothing_is_scored() -> None:
    model = as_model(fitted(QueryMinMax(), RankSVM(C=1.0)))
    for score in (model.predict, model.scores, model.derivatives):
        with pytest.raises(InputError, match=r"needs qid, the query of each row: predict\(X, qid=qid\)"):
            score(DATA.X)
    with pytest.raises(InputError, match="qid has 3 rows; expected"):
        model.predict(DATA.X, qid=[1, 2, 3])
    one_query = QueryMinMax().fit_transform(DATA.X) @ model.model.coef
    np.testing.assert_allclose(model.predict(DATA.X, qid=np.zeros(len(DATA), int)), one_query)


def test_a_scaler_without_queries_warns() -> None:
    scaler = QueryMinMax().fit(DATA.X, qid=DATA.qid)
    with pytest.warns(UserWarning, match="was fitted on 10 queries and scales all rows as one query now, for want of qid"):
        scaler.transform(DATA.X)


@pytest.mark.parametrize("scaler", COLUMN_SCALERS, ids=repr)
def test_scaled_columns_are_exported_as_other_weights(scaler) -> None:
    pipeline = fitted(scaler, RankSVM(C=1.0))
    exported: dict = {}
    exec(to_python(pipeline).text, exported)
    rows = [{f"f{j}": value for j, value in enumerate(row, 1)} for row in DATA.X.tolist()]
    np.testing.assert_allclose([exported["score"](row) for row in rows], pipeline.predict(DATA.X), atol=1e-9)


@pytest.mark.parametrize("learner", [RankSVM(C=1.0, scaling="standard"), AdaRank("AP", n_estimators=5)], ids=repr)
@pytest.mark.parametrize("scaler", COLUMN_SCALERS, ids=repr)
def test_missing_values_of_scaled_columns_are_exported(scaler, learner) -> None:
    X = np.where(np.random.default_rng(0).random(DATA.X.shape) < 0.2, np.nan, DATA.X + 100.0)
    pipeline = fitted(scaler, learner, X=X)
    exported: dict = {}
    exec(to_python(pipeline).text, exported)
    rows = [{f"f{j}": value for j, value in enumerate(row, 1)} for row in X.tolist()]
    np.testing.assert_allclose([exported["score"](row) for row in rows], pipeline.predict(X), atol=1e-9)


def test_thresholds_are_exported_as_stumps() -> None:
    pipeline = fitted(ScoreBinner(5), RankSVM(C=1.0))
    lightgbm = pytest.importorskip("lightgbm")
    scores = lightgbm.Booster(model_str=to_lightgbm(pipeline).text).predict(DATA.X)
    np.testing.assert_allclose(scores, pipeline.predict(DATA.X), atol=1e-9)


@pytest.mark.parametrize("target", TARGETS)
def test_scaling_within_queries_is_not_exported(target: str) -> None:
    with pytest.raises(
        ModelError, match="scales features within each query, and elsewhere documents are scored one at a time"
    ):
        TARGETS[target].write(fitted(QueryMinMax(), RankSVM(C=1.0)), {})


def test_pipelines_that_cannot_be_exported() -> None:
    with pytest.raises(ModelError, match="trees need no scaler: train without it"):
        to_solr(fitted(StandardScaler(), RankBoost(n_estimators=3)))
    with pytest.raises(ModelError, match="after ScoreBinner only a linear ranker can be exported"):
        to_solr(fitted(ScoreBinner(3), RankBoost(n_estimators=3)))


def test_sparse_float32_is_scaled_to_single_precision() -> None:
    X = sparse.csr_array(DATA.X.astype(np.float32))
    pipeline = fitted(MaxAbsScaler(), RankSVM(C=1.0), X=X)
    np.testing.assert_allclose(as_model(pipeline).predict(X), pipeline.predict(X), atol=1e-6)


def test_a_scaler_that_clips_is_not_saved_without() -> None:
    pipeline = fitted(MaxAbsScaler(), RankSVM(C=1.0))
    pipeline[0].clip = True  # a parameter in newer versions
    with pytest.raises(ModelError, match=r"MaxAbsScaler\(clip=True\) cannot be saved"):
        as_model(pipeline)


def test_sparse_rows() -> None:
    X = sparse.csr_array(DATA.X)
    pipeline = fitted(MaxAbsScaler(), RankSVM(C=1.0), X=X)
    np.testing.assert_array_equal(as_model(pipeline).predict(X), pipeline.predict(X))
    with pytest.raises(InputError, match="which a sparse X cannot hold; pass a dense one"):
        as_model(fitted(StandardScaler(), RankSVM(C=1.0))).predict(X)
    with pytest.raises(InputError, match=r"dense X only; pass X.toarray\(\)"):
        as_model(fitted(ScoreBinner(3), RankSVM(C=1.0))).predict(X)


@pytest.mark.parametrize("scaler", COLUMN_SCALERS, ids=repr)
def test_float32_is_scaled_as_scikit_learn_does(scaler) -> None:
    X = DATA.X.astype(np.float32)
    pipeline = fitted(scaler, RankSVM(C=1.0), X=X)
    np.testing.assert_array_equal(as_model(pipeline).predict(X), pipeline.predict(X))


def test_missing_scores_are_above_no_threshold() -> None:
    X = np.where(DATA.X > 0.9, np.nan, DATA.X)
    pipeline = fitted(ScoreBinner(3), RankSVM(C=1.0), X=X)
    np.testing.assert_array_equal(as_model(pipeline).predict(X), pipeline.predict(X))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: fitted(PCA(3), RankSVM(C=1.0)),
            "a pipeline with PCA cannot be saved as a model, but one with StandardScaler",
        ),
        (lambda: fitted(MinMaxScaler(clip=True), RankSVM(C=1.0)), r"MinMaxScaler\(clip=True\) cannot be saved"),
        (lambda: make_pipeline(StandardScaler(), RankSVM()), "RankSVM is neither .*; call fit first"),
        (
            lambda: make_pipeline(StandardScaler(), fitted(RankSVM(C=1.0))[-1]),
            "StandardScaler of the pipeline is not fitted",
        ),
        (
            lambda: make_pipeline(StandardScaler(), Ridge()).fit(DATA.X, DATA.y),
            "Ridge is neither .*; keep it with joblib.dump",
        ),
        (lambda: GridSearchCV(Ridge(), {}).fit(DATA.X, DATA.y), "GridSearchCV is neither .*; take its best_estimator_"),
    ],
)
def test_pipelines_that_cannot_be_saved(tmp_path: Path, make, sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        save_model(tmp_path / "model.json", make())
    assert not list(tmp_path.iterdir())


def test_a_pipeline_with_only_a_learner_is_its_model() -> None:
    pipeline = fitted(RankSVM(C=1.0))
    assert as_model(pipeline) is pipeline[-1].model_


def test_a_pipeline_that_ends_in_a_pipeline() -> None:
    nested = as_model(fitted(StandardScaler(), make_pipeline(QueryMinMax(), RankSVM(C=1.0))))
    plain = as_model(fitted(StandardScaler(), QueryMinMax(), RankSVM(C=1.0)))
    assert nested.needs_qid and nested.to_dict() == plain.to_dict() | {"provenance": nested.to_dict()["provenance"]}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"steps": []}, "it is a pipeline without steps"),
        ({"steps": 3}, "its steps must be a list"),
        ({"steps": [{"kind": "magic"}]}, "unknown kind of step 'magic'; there are binning, column scaling, "),
        ({"steps": [{"kind": "binning", "thresholds": [[1.0, 1.0]]}]}, "a list of ascending numbers for each feature"),
        ({"steps": [{"kind": "binning", "thresholds": [[1.0]]}]}, "its model takes 2 features and gets 1"),
        ({"steps": [{"kind": "query scaling", "to": "ranks", "width": 2}]}, "min-max or percentiles, not 'ranks'"),
        ({"steps": [{"kind": "query scaling", "to": "min-max", "width": 0}]}, "width must be an integer"),
        (
            {"steps": [{"kind": "column scaling", "centre": [0, 0], "divisor": [1, 0], "factor": [1, 1], "offset": [0, 0]}]},
            "its divisor and factor must not be 0",
        ),
        (
            {"steps": [{"kind": "column scaling", "centre": [0, 0], "divisor": [1], "factor": [1, 1], "offset": [0, 0]}]},
            "its divisor must have 2 numbers",
        ),
        ({"n_features": 3}, "it has 2 features and says 3"),
    ],
)
def test_damaged_files(change: dict, sentence: str) -> None:
    steps = fitted(QueryMinMax(), RankSVM(C=1.0), X=DATA.X[:, :2])
    content = json.loads(dumps(PipelineModel(as_model(steps).steps, LinearModel(np.ones(2)))))
    with pytest.raises(ModelError, match=sentence):
        loads(json.dumps(content | change))

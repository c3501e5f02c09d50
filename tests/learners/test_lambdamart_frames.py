"""LambdaMART on frames of pandas and polars, and on features that are categories."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from directrank import InputError, LambdaMART
from directrank.datasets import make_ranking
from directrank.models import ModelError, TreesModel, dumps, loads

TRAIN = make_ranking(60, random_state=0)
FEW = {"n_estimators": 20, "num_leaves": 7, "n_seeds": 1}


def test_missing_values_and_categories() -> None:
    random, n = np.random.default_rng(0), 3000
    colour = random.integers(0, 6, n)
    size = random.normal(size=n)
    y = ((colour == 2) | (colour == 5)) + (size > 1).astype(float)
    size[random.random(n) < 0.2] = np.nan
    qid = np.repeat(np.arange(n // 20), 20)
    numbers = LambdaMART("nDCG", lightgbm={"categorical_feature": [0]}, **FEW).fit(np.column_stack((colour, size)), y, qid)
    assert '"decision_type": "=="' in str(numbers.booster_.dump_model()).replace("'", '"')
    frame = pd.DataFrame({"colour": pd.Categorical.from_codes(colour, list("abcdef")), "size": size})
    named = LambdaMART("nDCG", **FEW).fit(frame, y, qid)
    np.testing.assert_allclose(named.predict(frame), numbers.predict(np.column_stack((colour, size))), atol=1e-6)
    again = loads(dumps(named))
    np.testing.assert_array_equal(again.predict(frame), named.predict(frame))
    assert numbers.score(np.column_stack((colour, size)), y, qid) > 0.9
    held_out = LambdaMART("nDCG", **FEW).fit(frame, y, qid, eval_set=(frame, y, qid))
    assert held_out.history_[-1].evals["validation"]["nDCG"] > 0.9


def test_categories_in_only_one_of_two_frames_are_rejected() -> None:
    colour = np.arange(len(TRAIN)) % 5
    frame = pd.DataFrame({"colour": pd.Categorical(colour), "size": TRAIN.X[:, 0]})
    plain = frame.assign(colour=colour)
    for there, other in ((frame, plain), (plain, frame)):
        model = LambdaMART("AP", **FEW).fit(there, TRAIN.y, TRAIN.qid)
        with pytest.raises(
            InputError, match="column 'colour' has categories in this data or in the training data, but not in both"
        ):
            model.predict(other)
        with pytest.raises(InputError, match="eval_set: column 'colour'"):
            LambdaMART("AP", **FEW).fit(there, TRAIN.y, TRAIN.qid, eval_set=(other, TRAIN.y, TRAIN.qid))
    trained = LambdaMART("AP", **FEW).fit(frame, TRAIN.y, TRAIN.qid)
    with pytest.raises(InputError, match="there is no column 'colour', which has categories in the training data"):
        trained.predict(frame[["size"]])
    with pytest.raises(InputError, match="X contains an infinite value in column"):
        trained.predict(frame.assign(size=np.inf))


@pytest.mark.parametrize("given", [[0], (0,), np.array([0]), 0, "0"])
def test_categorical_features_in_any_form(given) -> None:
    colour = np.arange(len(TRAIN)) % 5
    model = LambdaMART("AP", lightgbm={"categorical_feature": given}, **FEW)
    model.fit(np.column_stack((colour, TRAIN.X[:, 0])), TRAIN.y, TRAIN.qid)
    splits = [(split, feature, tree) for tree in model.model_.trees for split, feature in enumerate(tree.feature)]
    assert {feature for _, feature, _ in splits} == {0, 1}
    assert all((split in tree.categories) == (feature == 0) for split, feature, tree in splits)
    assert {category for tree in model.model_.trees for part in tree.categories.values() for category in part} <= {*range(5)}
    with pytest.raises(InputError, match="categorical_feature must be numbers or names of features, not 'hue'"):
        LambdaMART("AP", lightgbm={"categorical_feature": "hue"}).fit(TRAIN.X, TRAIN.y, TRAIN.qid)


def frame_of(library: str, colour: np.ndarray, kind: str):
    """Two columns of numbers, one with gaps, and one of categories."""
    texts = [None if code < 0 else "abcdef"[code] for code in colour]
    size = np.where(np.arange(colour.size) % 7 == 0, np.nan, TRAIN.X[: colour.size, 0])
    columns = {"size": size, "colour": texts, "count": np.arange(colour.size) % 11}
    if library == "pandas":
        return pd.DataFrame(columns).astype({"colour": pd.CategoricalDtype(list("abcdef"))})
    pl = pytest.importorskip("polars")
    return pl.DataFrame(columns).cast({"colour": pl.Categorical() if kind == "Categorical" else pl.Enum(list("abcdef"))})


@pytest.mark.parametrize(("library", "kind"), [("pandas", ""), ("polars", "Categorical"), ("polars", "Enum")])
def test_frames_of_any_library_give_the_same_model(library: str, kind: str) -> None:
    colour = np.random.default_rng(0).integers(-1, 6, len(TRAIN))
    y = ((colour == 2) | (colour == 5)) + TRAIN.y
    frame = frame_of(library, colour, kind)
    numbers = np.column_stack((frame["size"], np.where(colour < 0, np.nan, colour), frame["count"]))
    wanted = LambdaMART("AP", lightgbm={"categorical_feature": [1]}, **FEW).fit(numbers, y, TRAIN.qid).predict(numbers)
    model = LambdaMART("AP", **FEW).fit(frame, y, TRAIN.qid)
    assert model.categories_ == {"colour": list("abcdef")} and np.ptp(wanted) > 0
    again = loads(dumps(model))
    for score in (model.predict, model.model_.predict, again.predict):
        np.testing.assert_array_equal(score(frame), wanted)
        np.testing.assert_array_equal(score(frame[["count", "colour", "size"]]), wanted)
        few = frame[5:9]  # in which not all categories occur, or by other numbers
        np.testing.assert_array_equal(score(few), wanted[5:9])
    held_out = LambdaMART("AP", **FEW).fit(frame, y, TRAIN.qid, eval_set=(frame[["count", "colour", "size"]], y, TRAIN.qid))
    assert held_out.history_[-1].evals["validation"]["AP"] > 0.5
    if library == "pandas":
        np.testing.assert_array_equal(model.booster_.predict(frame), wanted)


def test_an_unknown_category_is_like_none() -> None:
    colour = np.arange(len(TRAIN)) % 6
    model = LambdaMART("AP", **FEW).fit(frame_of("pandas", colour, ""), (colour == 2) + TRAIN.y, TRAIN.qid)
    known, none = frame_of("pandas", colour, "")[:3], frame_of("pandas", np.full(3, -1), "")
    unknown = known.assign(colour=pd.Categorical(["new", "newer", "new"]))
    np.testing.assert_array_equal(model.predict(unknown), model.predict(none))
    assert np.any(model.predict(known) != model.predict(none))


def test_categories_that_no_file_can_hold_are_rejected() -> None:
    frame = pd.DataFrame({"x": TRAIN.X[:, 0], "day": pd.cut(TRAIN.X[:, 1], 3)})
    with pytest.raises(
        InputError, match="column 'day' has categories that are neither text nor numbers; turn them into text"
    ):
        LambdaMART("AP", **FEW).fit(frame, TRAIN.y, TRAIN.qid)
    wrong = pd.DataFrame({"x": ["a"] * len(TRAIN), "y": pd.Categorical(np.arange(len(TRAIN)) % 3)})
    with pytest.raises(InputError, match="column 'x' of X must hold numbers"):
        LambdaMART("AP", **FEW).fit(wrong, TRAIN.y, TRAIN.qid)


def test_lightgbm_text_of_a_model_with_categories() -> None:
    colour = np.arange(len(TRAIN)) % 6
    frame = frame_of("pandas", colour, "")
    model = LambdaMART("AP", **FEW).fit(frame, (colour == 2) + TRAIN.y, TRAIN.qid)
    text = model.booster_.model_to_string()
    again = TreesModel.from_lightgbm(text, 20, ["colour"]).with_feature_names(frame.columns)
    assert again.categories == {"colour": list("abcdef")}
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    with pytest.raises(ModelError, match="it names 2 columns with categories, and LightGBM's text has 1"):
        TreesModel.from_lightgbm(text, 20, ["colour", "size"])

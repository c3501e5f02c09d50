"""`train` takes what `fit` takes: weights of queries, several validation sets, further measures, a start; or refuses it."""

from __future__ import annotations

from pathlib import Path

import dask.array as da
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from clusters import DATA, HELD_OUT, HELD_OUT_PARTS, PARTS, Cluster, parts_of
from sklearn.base import clone

from directrank import (
    AdaRank,
    CoordinateAscent,
    EnsembleSelection,
    InputError,
    LambdaMART,
    MultivariateSVC,
    OneVsRestSVM,
    RankBoost,
    RankingData,
    RankSVM,
    SmoothRank,
    SVMRanker,
    evaluate,
    save_model,
)
from directrank.distributed import ShardedData, from_dataframe, predict, read_parquet, train
from directrank.learners.core.shards import LocalShards
from directrank.learners.core.task import make_task
from directrank.measures import AP

#: Weight of each query, by qid; one is left out.
WEIGHTS = {query: [0.0, 1.0, 2.5, 0.5][number % 4] for number, query in enumerate(DATA.by_query().ids.tolist())}
QUERY_WEIGHTS = np.array(list(WEIGHTS.values()))
ROW_WEIGHTS = np.array([WEIGHTS[query] for query in DATA.qid.tolist()])
BASE, HELD_OUT_BASE = (data.X[:, 0] - data.X[:, 1] for data in (DATA, HELD_OUT))
EXTRA = ("weight", "base")

LEARNERS = [
    SVMRanker("AP", C=1),
    SVMRanker("AP", cv=2),
    SVMRanker("nDCG@5", C=10, bound="ramp"),
    SVMRanker("nDCG", C=10, kernel="rbf"),
    RankSVM(C=10),
    OneVsRestSVM(C=10),
    AdaRank("nDCG@5", directions="both"),
    AdaRank("nDCG", weak_ranker=RankBoost(n_estimators=3), sample=0.7, early_stopping_rounds=2, n_estimators=3),
    RankBoost(n_estimators=30, thresholds=7),
    CoordinateAscent("AP", n_restarts=1, max_iter=2),
    EnsembleSelection("AP", n_estimators=5),
    SmoothRank("nDCG@5", cv=2, max_iter=2),
]
ids = [f"{type(learner).__name__}-{learner.measure}" for learner in LEARNERS]

FEW_TREES = LambdaMART("AP", n_seeds=1, n_estimators=4, min_child_samples=5)


def write_with_extra(folder: Path, parts: list[RankingData], columns: dict[str, np.ndarray]) -> Path:
    """Parquet files with further columns, the first of which comes before the features."""
    folder.mkdir()
    ends = np.cumsum([len(part) for part in parts])[:-1]
    for number, part in enumerate(parts):
        frame = part.to_frame()
        for name, values in columns.items():
            frame.insert(len(frame.columns) if name == "base" else 1, name, np.split(values, ends)[number])
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), folder / f"{number}.parquet")
    return folder


@pytest.fixture(scope="module")
def weighted(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> ShardedData:
    folder = write_with_extra(tmp_path_factory.mktemp("x") / "train", PARTS, {"weight": ROW_WEIGHTS, "base": BASE})
    return read_parquet(folder, extra_columns=EXTRA, client=cluster.client)


@pytest.fixture(scope="module")
def with_base(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> ShardedData:
    folder = write_with_extra(tmp_path_factory.mktemp("x") / "vali", HELD_OUT_PARTS, {"base": HELD_OUT_BASE})
    return read_parquet(folder, extra_columns=["base"], client=cluster.client)


def here(parts: list[RankingData], query_weight: dict | None = None) -> LocalShards:
    return LocalShards(
        [make_task(d.X, d.y, d.qid, AP(), query_weight and {q: query_weight[q] for q in d.qid.tolist()}) for d in parts]
    )


def scores(model) -> np.ndarray:
    return model.model_.predict(DATA.X)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("learner", LEARNERS, ids=ids)
def test_all_arguments_give_the_same_bits_as_locally(learner, weighted: ShardedData, held_out: ShardedData) -> None:
    """Also for a learner that chooses nothing by the validation sets: they are evaluated."""
    others = here(parts_of(HELD_OUT, 2)), here(PARTS)
    heard: list[int] = []
    there = train(
        clone(learner),
        weighted,
        [held_out, weighted],
        query_weight="weight",
        eval_measures="RR, P@3",
        callbacks=[lambda progress: heard.append(progress.step)],
    )
    wanted = clone(learner).fit_shards(here(PARTS, WEIGHTS), others, eval_measures=["RR", "P@3"])
    np.testing.assert_array_equal(scores(there), scores(wanted))
    assert np.ptp(scores(there)) > 0 and there.model_.feature_names == tuple(DATA.feature_names)
    assert there.evals_result_ == wanted.evals_result_
    assert list(there.evals_result_) == ["training", "validation", "validation_2"]
    assert list(there.evals_result_["training"])[1:] == ["RR", "P@3"] and heard
    unweighted = clone(learner).fit_shards(here(PARTS), others)
    assert not np.array_equal(scores(unweighted), scores(there))


def test_trees_are_evaluated_after_each_round(weighted: ShardedData, held_out: ShardedData) -> None:
    learner = LambdaMART("AP", n_estimators=12, min_child_samples=5, n_seeds=2, init=None)  # more rounds than one call grows
    there = train(clone(learner), weighted, [held_out, weighted], query_weight="weight", eval_measures="RR")
    plain = train(clone(learner), weighted, [held_out], query_weight="weight")
    np.testing.assert_array_equal(scores(there), scores(plain))
    found = there.evals_result_["validation"]
    np.testing.assert_allclose(found["AP"], plain.evals_result_["validation"]["AP"], rtol=1e-12)
    np.testing.assert_allclose(there.evals_result_["training"]["AP"], plain.evals_result_["training"]["AP"], rtol=1e-12)
    best = evaluate(HELD_OUT.y, there.model_.predict(HELD_OUT.X), HELD_OUT.qid, "RR")["RR"]
    assert len(found["RR"]) == 12 and found["RR"][there.best_iteration_ - 1] == pytest.approx(best)
    assert len(set(there.evals_result_["validation_2"]["RR"])) > 1
    unweighted = train(clone(learner), weighted, [held_out])
    assert not np.array_equal(scores(unweighted), scores(there))


@pytest.mark.parametrize(
    "given",
    [
        WEIGHTS,
        pd.Series(WEIGHTS),
        QUERY_WEIGHTS,
        ROW_WEIGHTS.tolist(),
        da.from_array(ROW_WEIGHTS, chunks=50),
        pd.Series(ROW_WEIGHTS),
    ],
    ids=["mapping", "series", "queries", "rows", "dask", "series of rows"],
)
def test_forms_of_query_weights(given, weighted: ShardedData) -> None:
    wanted = train(RankSVM(C=1), weighted, query_weight="weight")
    np.testing.assert_array_equal(scores(train(RankSVM(C=1), weighted, query_weight=given)), scores(wanted))


def test_text_ids_and_interleaved_rows(cluster: Cluster, tmp_path: Path) -> None:
    order = np.random.default_rng(0).permutation(len(PARTS[0]))
    names = np.array([f"q{query}" for query in PARTS[0].qid])[order].tolist()
    part = RankingData(PARTS[0].X[order], PARTS[0].y[order], names, feature_names=DATA.feature_names)
    data = read_parquet(write_with_extra(tmp_path / "text", [part], {}), client=cluster.client)
    by_name = {f"q{query}": weight for query, weight in WEIGHTS.items()}
    wanted = RankSVM(C=1).fit(part.X, part.y, part.qid, query_weight={name: by_name[name] for name in names})
    for given in (by_name, [by_name[name] for name in dict.fromkeys(names)], [by_name[name] for name in names]):
        np.testing.assert_array_equal(scores(train(RankSVM(C=1), data, query_weight=given)), scores(wanted))


def test_extra_columns_of_frames(cluster: Cluster, weighted: ShardedData) -> None:
    import dask.dataframe as dd

    frame = pd.concat([DATA.to_frame(), pd.DataFrame({"weight": ROW_WEIGHTS})], axis=1)
    for shuffle in (False, True):
        parts = dd.from_pandas(frame, npartitions=1, sort=False)
        data = from_dataframe(parts, extra_columns=["weight"], shuffle=shuffle, client=cluster.client)
        assert data.feature_names == tuple(DATA.feature_names) and data.extra_columns == ("weight",)
        found = train(RankSVM(C=1), data, query_weight="weight")
        np.testing.assert_array_equal(scores(found), scores(RankSVM(C=1).fit_shards(here([DATA], WEIGHTS))))


def test_trees_continue_from_scores_or_from_a_model(weighted: ShardedData, with_base: ShardedData, tmp_path: Path) -> None:
    there = train(clone(FEW_TREES), weighted, (with_base, "base"), init_score="base")
    as_array = train(clone(FEW_TREES), weighted, [(with_base, HELD_OUT_BASE)], init_score=BASE)
    np.testing.assert_array_equal(scores(as_array), scores(there))
    assert as_array.evals_result_ == there.evals_result_
    linear = RankSVM(C=1).fit(DATA.X, DATA.y, DATA.qid)
    save_model(tmp_path / "linear.json", linear)
    from_scores = train(clone(FEW_TREES), weighted, init_score=predict(linear, weighted))
    from_model = train(clone(FEW_TREES), weighted, init_model=tmp_path / "linear.json")
    np.testing.assert_allclose(scores(from_model), scores(from_scores) + scores(linear), atol=1e-12)
    assert not np.array_equal(scores(from_scores), scores(there))
    np.testing.assert_allclose(
        from_scores.evals_result_["training"]["AP"], from_model.evals_result_["training"]["AP"], rtol=1e-12
    )


def test_what_fit_does_not_take_is_refused_by_name(weighted: ShardedData, held_out: ShardedData) -> None:
    for name, value in {"init_model": RankSVM(), "init_score": "base"}.items():
        with pytest.raises(InputError, match=f"AdaRank takes no {name}, on a cluster as in fit; leave it out"):
            train(AdaRank(), weighted, **{name: value})
    for name in ("eval_set", "query_weight", "eval_measures"):
        with pytest.raises(InputError, match=f"MultivariateSVC takes no {name}, on a cluster as in fit; leave it out"):
            train(MultivariateSVC(), weighted, **{name: held_out if name == "eval_set" else "weight"})
    with pytest.raises(InputError, match="both init and init_model are given"):
        train(LambdaMART(init=RankSVM()), weighted, init_model=RankSVM())


def test_bad_arguments_get_one_sentence(cluster: Cluster, weighted: ShardedData, with_base: ShardedData) -> None:
    def error(learner=None, eval_set=None, **given) -> str:
        with pytest.raises(InputError) as raised:
            train(learner or clone(FEW_TREES), weighted, eval_set, **given)
        return str(raised.value)

    assert "query_weight='w' is no extra column of the data ('weight', 'base'); read it with" in error(query_weight="w")
    assert "query_weight has the shape (3,); give one weight for each of the 40 queries" in error(query_weight=[1, 2, 3])
    assert "query_weight must hold numbers" in error(query_weight=["a"] * 40)
    few = dict(list(WEIGHTS.items())[1:])
    assert f"query_weight has no weight for query {next(iter(WEIGHTS))!r}" in error(query_weight=few)
    assert "0.parquet: query_weight differs within query" in error(query_weight="base")
    assert "2.parquet: query_weight has weights that are negative" in error(query_weight=[*[1] * 39, -1])
    assert "init_score has the shape (3,); give one score for each of the" in error(init_score=[1, 2, 3])
    assert "0.parquet: init_score is NaN in row 0" in error(init_score=np.full(len(DATA), np.nan))
    assert "with init_score the eval_set needs one too; give it as (data, init_score)" in error(
        None, with_base, init_score=BASE
    )
    assert "the training rows have none; give init_score to train too" in error(None, (with_base, "base"))
    assert "eval_set must be ShardedData, or a tuple of ShardedData and init_score" in error(
        None, (DATA.X, DATA.y, DATA.qid)
    )
    assert "callbacks must be a list of functions" in error(callbacks=print)
    assert "query_weight has the shape (40, 1)" in error(query_weight=QUERY_WEIGHTS[:, None])
    unnamed = read_parquet(Path(with_base.names[0]).parent, client=cluster.client)
    assert "eval_set: the data has the feature 'base', which the model does not know; remove unknown columns" in error(
        None, unnamed
    )
    with pytest.raises(InputError, match="the column 'weight' is named for two uses"):
        read_parquet("x", features=["weight"], extra_columns=["weight"], client=cluster.client)
    with pytest.raises(InputError, match="extra_columns must be a list of names"):
        read_parquet("x", extra_columns="weight", client=cluster.client)


def test_one_query_is_warned_of(cluster: Cluster) -> None:
    import dask.dataframe as dd

    frame = RankingData(DATA.X, np.minimum(DATA.y, 1)).to_frame()
    no_qid = from_dataframe(dd.from_pandas(frame, npartitions=1), client=cluster.client)
    with pytest.warns(UserWarning, match=r"no qid: all 622 rows of partition 0 are taken as one query; add a column qid"):
        train(SVMRanker("AP", C=1), no_qid)
    train(SVMRanker("AUC", C=1), no_qid)  # a set-wise measure

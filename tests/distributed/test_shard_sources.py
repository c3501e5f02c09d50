"""Sources of shards: files, frames and arrays, with every query whole."""

from __future__ import annotations

import shutil
from pathlib import Path

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from clusters import DATA, HELD_OUT, PARTS, Cluster, parts_of, write_parts
from sklearn.base import clone

from directrank import InputError, RankingData, RankSVM, SmoothRank, SVMRanker, write_parquet
from directrank.distributed import (
    ShardedData,
    evaluate,
    from_arrays,
    from_dataframe,
    predict,
    read_parquet as read_sharded,
    sharded_data as module,
    train,
)
from directrank.learners.core.shards import LocalShards
from directrank.measures import AP, as_measure


def frame_of(data: RankingData) -> pd.DataFrame:
    columns = {"label": data.y, "qid": data.qid} | dict(zip(data.feature_names, data.X.T, strict=True))
    return pd.DataFrame(columns)


def rows_of(data: ShardedData) -> list[tuple]:
    """All rows, in an order that does not depend on shards."""
    parts = data.each(lambda part: [(q, y, *x) for q, y, x in zip(part.qid.tolist(), part.y, part.X.tolist(), strict=True)])
    return sorted(row for part in parts for row in part)


@pytest.fixture
def split_files(tmp_path: Path) -> Path:
    """Two files with the middle query in both."""
    middle = len(DATA) // 2
    assert DATA.qid[middle - 1] == DATA.qid[middle]
    for name, rows in (("a", slice(middle)), ("b", slice(middle, None))):
        write_parquet(tmp_path / f"{name}.parquet", DATA.select(rows))
    return tmp_path


def test_read_parquet_files(cluster: Cluster, folder: Path, sharded: ShardedData) -> None:
    assert (len(sharded), sharded.n_queries, sharded.n_features) == (len(DATA), DATA.n_queries, DATA.n_features)
    assert sharded.feature_names == tuple(DATA.feature_names)
    assert repr(sharded) == f"ShardedData(3 shards, 40 queries, {len(DATA)} documents, 16 features)"
    assert sharded.names == [str(folder / "train" / f"{i:03}.parquet") for i in range(3)]
    assert sorted(cluster.holders(sharded)) == sorted(cluster.pids())  # spread over all workers
    counts = []
    files = [folder / "train" / "000.parquet", f"file://{folder}/train/00[12].parquet"]
    again = read_sharded(files[:1], client=cluster.client, progress=lambda *count: counts.append(count))
    assert counts == [(1, 1)] and len(again) == len(PARTS[0])
    assert len(read_sharded(files, client=cluster.client)) == len(DATA)
    remote = read_sharded(f"file://{folder}/train", client=cluster.client)
    assert rows_of(remote) == rows_of(sharded) and remote.names[0].startswith("file://")


def test_a_query_in_two_files_is_rejected_by_name(
    cluster: Cluster, split_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = DATA.qid[len(DATA) // 2]
    for at_a_time in (2**22, 3):  # in one go, and a few queries at a time
        monkeypatch.setattr(module, "QUERIES_AT_A_TIME", at_a_time)
        with pytest.raises(InputError, match=rf"query {query} is in .*a\.parquet and in .*b\.parquet; .* shuffle=True"):
            read_sharded(split_files, client=cluster.client)
    named = RankingData(DATA.X, DATA.y, np.array([f"q{q}" for q in DATA.qid]))
    for name, rows in (("a", slice(200)), ("b", slice(200, None))):
        write_parquet(split_files / f"{name}.parquet", named.select(rows))
    with pytest.raises(InputError, match=rf"query '{named.qid[200]}' is in"):
        read_sharded(split_files, client=cluster.client)


def test_a_shuffle_makes_queries_whole_again(cluster: Cluster, split_files: Path, sharded: ShardedData) -> None:
    whole = read_sharded(split_files, shuffle=True, client=cluster.client)
    assert rows_of(whole) == rows_of(sharded)
    found, again = (train(RankSVM(C=1), d) for d in (whole, read_sharded(split_files, shuffle=True, client=cluster.client)))
    np.testing.assert_array_equal(found.coef_, again.coef_)  # rows are in their old order
    np.testing.assert_allclose(found.coef_, RankSVM(C=1).fit(DATA.X, DATA.y, DATA.qid).coef_, rtol=1e-6)


def test_shuffle_errors(cluster: Cluster, folder: Path, split_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="there is no column 'zz'; the columns are label, qid"):
        read_sharded(split_files, features=["zz"], shuffle=True, client=cluster.client)
    with monkeypatch.context() as patched:  # this process may not see what workers see
        patched.setattr(dd, "read_parquet", lambda files, **_: Path(f"{files[0]}.missing").read_bytes())
        with pytest.raises(InputError, match=r"a\.parquet, \.\.\. cannot be read to shuffle: .*No such file"):
            read_sharded(split_files, shuffle=True, client=cluster.client)
    (split_files / "a.parquet").write_bytes(b"nonsense")
    with pytest.raises(InputError, match=r"a\.parquet: not a Parquet file, or an incomplete one"):
        read_sharded(split_files, shuffle=True, client=cluster.client)


def test_frames(cluster: Cluster, sharded: ShardedData) -> None:
    frame = frame_of(DATA)
    ends = np.flatnonzero(np.diff(DATA.qid)) + 1
    parts = [frame[: ends[9]], frame[ends[9] : ends[9]], frame[ends[9] :]]  # one of them empty
    whole = from_dataframe(dd.concat([dd.from_pandas(part, npartitions=1) for part in parts]), client=cluster.client)
    assert len(whole.shards) == 2 and rows_of(whole) == rows_of(sharded)
    halves = dd.from_pandas(frame.set_index(np.arange(len(frame))), npartitions=4)
    with pytest.raises(InputError, match=r"query \d+ is in partition \d and in partition \d"):
        from_dataframe(halves, client=cluster.client)
    assert rows_of(from_dataframe(halves, shuffle=True, client=cluster.client)) == rows_of(sharded)
    with pytest.raises(InputError, match="no column 'grade' for the grades; the columns are label, qid"):
        from_dataframe(dd.from_pandas(frame, npartitions=1), label="grade", client=cluster.client)
    with pytest.raises(InputError, match="no column 'zz' for a feature; the columns are label, qid"):
        from_dataframe(dd.from_pandas(frame, npartitions=1), features=["good1", "zz"], client=cluster.client)
    texts = dd.concat(
        [
            dd.from_pandas(part.astype({"good1": "O"}), npartitions=1)
            for part in (parts[0], parts[2].replace({"good1": parts[2].iloc[0]["good1"]}, "much"))
        ]
    )
    with pytest.raises(InputError, match="this is a DataFrame, and not a Dask DataFrame; make it one with"):
        from_dataframe(frame, client=cluster.client)
    with pytest.raises(InputError, match="partition 1: a feature holds no numbers"):
        from_dataframe(texts, client=cluster.client)
    with pytest.raises(InputError, match="there is no column 'query' to shuffle by"):
        from_dataframe(halves, qid="query", shuffle=True, client=cluster.client)


def test_arrays(cluster: Cluster, sharded: ShardedData) -> None:
    ends = np.flatnonzero(np.diff(DATA.qid)) + 1
    rows = (int(ends[9]), len(DATA) - int(ends[9]))
    X = da.from_array(DATA.X, chunks=(rows, 5))
    found = from_arrays(X, da.from_array(DATA.y, chunks=50), DATA.qid, client=cluster.client)
    assert rows_of(found) == rows_of(sharded) and found.feature_names is None
    parts = [DATA.select(slice(rows[0])), DATA.select(slice(rows[0], None))]
    here = RankSVM(C=1).fit_shards(LocalShards.from_data(parts, as_measure("AP")))
    np.testing.assert_array_equal(train(RankSVM(C=1), found).coef_, here.coef_)
    with pytest.raises(InputError, match=r"y is of shape \(3,\), and X has \d+ rows"):
        from_arrays(X, DATA.y[:3], DATA.qid, client=cluster.client)
    with pytest.raises(InputError, match=r"X is a ndarray, and not a Dask array; make it one with dask\.array\.from_array"):
        from_arrays(DATA.X, DATA.y, DATA.qid, client=cluster.client)
    with pytest.raises(InputError, match=r"X is of shape \(\d+,\); it must have two dimensions"):
        from_arrays(X[:, 0], DATA.y, DATA.qid, client=cluster.client)
    with pytest.raises(InputError, match=r"the chunks of X have is not known; call X.compute_chunk_sizes\(\) first"):
        from_arrays(X[X[:, 0] > 0], DATA.y, DATA.qid, client=cluster.client)
    y = np.where(np.arange(len(DATA)) == len(DATA) - 1, np.nan, DATA.y)
    with pytest.raises(InputError, match=r"chunk 1: .*needs a finite grade"):
        from_arrays(X, y, DATA.qid, client=cluster.client)


def test_scores_and_values_equal_local_ones(sharded: ShardedData, held_out: ShardedData, tmp_path: Path) -> None:
    model = train(RankSVM(C=1), sharded).model_
    scores = predict(model, held_out)
    assert scores.numblocks == (2,)
    np.testing.assert_array_equal(scores.compute(scheduler=held_out.client), model.predict(HELD_OUT.X))
    from directrank import evaluate as evaluate_here

    wanted = evaluate_here(HELD_OUT.y, model.predict(HELD_OUT.X), HELD_OUT.qid, ["AP", "nDCG@5"])
    found = evaluate(model, held_out, ["AP", "nDCG@5"])
    np.testing.assert_array_equal(found.qid, wanted.qid)
    for name in ("AP", "nDCG@5"):
        np.testing.assert_array_equal(found.per_query[name], wanted.per_query[name])
    assert found.no_relevant == wanted.no_relevant
    assert evaluate(model, held_out, "AP").means.keys() == {"AP"}
    with pytest.raises(InputError, match="breaks ties by docno"):  # what a worker refuses is heard here
        evaluate(model, held_out, "AP", ties="trec")


def test_features_are_matched_by_name(cluster: Cluster, sharded: ShardedData, tmp_path: Path) -> None:
    order = list(reversed(DATA.feature_names))
    mixed = [PARTS[0], PARTS[1].with_features(order), PARTS[2]]
    write_parts(tmp_path / "mixed", mixed)
    assert rows_of(read_sharded(tmp_path / "mixed", client=cluster.client)) == rows_of(sharded)
    write_parts(tmp_path / "turned", [part.with_features(order) for part in parts_of(HELD_OUT, 2)])
    write_parts(tmp_path / "vali", parts_of(HELD_OUT, 2))
    turned, straight = (read_sharded(tmp_path / name, client=cluster.client) for name in ("turned", "vali"))
    chosen = [train(RankSVM(Cs=[0.01, 1, 100]), sharded, validation) for validation in (turned, straight)]
    np.testing.assert_array_equal(chosen[0].coef_, chosen[1].coef_)
    scores = [predict(chosen[0], data).compute(scheduler=cluster.client) for data in (turned, straight)]
    np.testing.assert_array_equal(*scores)
    other = RankingData(DATA.X, DATA.y, DATA.qid, feature_names=[*DATA.feature_names[:-1], "another"])
    write_parts(tmp_path / "other", [PARTS[0], other.select_queries(np.arange(20, 40))])
    with pytest.raises(
        InputError, match=r"001\.parquet: the data lacks the feature 'reversed' and has the feature 'another'"
    ):
        read_sharded(tmp_path / "other", client=cluster.client)


def test_a_set_of_shards_from_the_writer(cluster: Cluster, tmp_path: Path, sharded: ShardedData) -> None:
    write_parquet(tmp_path / "set", DATA, shards=4)
    assert rows_of(read_sharded(tmp_path / "set", client=cluster.client)) == rows_of(sharded)
    (tmp_path / "set" / "part-00000.parquet").unlink()
    with pytest.raises(InputError, match=r"has shards without part-00000\.parquet"):
        read_sharded(tmp_path / "set", client=cluster.client)


def test_bad_files_get_one_sentence(cluster: Cluster, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file is named"):
        read_sharded([], client=cluster.client)
    with pytest.raises(InputError, match=r"nothing.*: there is no such Parquet file, as seen from the workers"):
        read_sharded(tmp_path / "nothing" / "*.parquet", client=cluster.client)
    with pytest.raises(InputError, match=r"nosuch://bucket/train cannot be read by a worker: .*nosuch"):
        read_sharded("nosuch://bucket/train", client=cluster.client)
    shutil.copytree(folder / "train", tmp_path / "bad")
    damaged = tmp_path / "bad" / "001.parquet"
    damaged.write_bytes(damaged.read_bytes()[:-100])
    with pytest.raises(InputError, match=r"001\.parquet: not a Parquet file, or an incomplete one"):
        read_sharded(tmp_path / "bad", client=cluster.client)
    table = pq.read_table(folder / "train" / "001.parquet")
    pq.write_table(table.set_column(table.column_names.index("qid"), "qid", table["qid"].cast("string")), damaged)
    with pytest.raises(
        InputError, match=r"the qids of .*001\.parquet are text, but the qids of .*000\.parquet are integers"
    ):
        read_sharded(tmp_path / "bad", client=cluster.client)
    (tmp_path / "000.parquet").write_bytes(b"nonsense")
    with pytest.raises(InputError, match=r"000\.parquet: not a Parquet file"):
        read_sharded(tmp_path / "000.parquet", client=cluster.client)


def test_data_that_learners_reject(cluster: Cluster, tmp_path: Path) -> None:
    no_qid = [RankingData(part.X, part.y) for part in PARTS]
    data = read_sharded(write_parts(tmp_path / "sets", no_qid), client=cluster.client)
    with pytest.raises(InputError, match=r"000\.parquet has no qid, so each of 3 shards would be one query; add qid"):
        train(RankSVM(C=1), data)
    with pytest.raises(InputError, match="add qid"):
        evaluate(RankSVM(C=1).fit(DATA.X, DATA.y, DATA.qid), data)
    narrow = RankSVM(C=1).fit(DATA.X[:, :3], DATA.y, DATA.qid)
    with pytest.raises(InputError, match="the data has 16 features, and the model has 3"):
        predict(narrow, data)


def test_raw_features_with_missing_values(cluster: Cluster, tmp_path: Path) -> None:
    X = 10.0 ** (np.arange(DATA.n_features) % 5) * DATA.X
    X[::3, 2] = np.where(DATA.y[::3] > 0, X[::3, 2], np.nan)
    X[:, 1] = np.exp(3 * DATA.X[:, 1])
    parts = parts_of(RankingData(X, DATA.y, DATA.qid, feature_names=DATA.feature_names), 3)
    data = read_sharded(write_parts(tmp_path / "raw", parts), client=cluster.client)
    for learner in (RankSVM(Cs=[0.1, 1.0], cv=2), SmoothRank("AP", cv=2, max_iter=1), SVMRanker("AP", C=1)):
        remote = train(learner, data, eval_set=data)
        local = clone(learner).fit_shards(LocalShards.from_data(parts, AP()), LocalShards.from_data(parts, AP()))
        np.testing.assert_array_equal(remote.model_.predict(X), local.model_.predict(X))
        assert 1 in remote.model_.log_features and remote.model_.if_missing[2] != 0


def test_a_file_that_changes_is_not_read_again(cluster: Cluster, tmp_path: Path) -> None:
    data = read_sharded(write_parts(tmp_path / "set", PARTS), client=cluster.client)
    write_parts(tmp_path / "set", parts_of(HELD_OUT, 3))
    holder = cluster.holders(data)[0]
    cluster.kill(holder)
    with pytest.raises(InputError, match=r"\.parquet has changed since it was listed; read the data anew"):
        train(RankSVM(C=1), data)
    cluster.client.wait_for_workers(2, timeout=60)

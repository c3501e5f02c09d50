"""Folders of Parquet as Spark writes them: names, checksum files, empty parts, types, and partitions of Hive."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from clusters import DATA, PARTS, Cluster, parts_of

from directrank import InputError, RankingData, RankSVM
from directrank.data.errors import InputWarning
from directrank.distributed import read_parquet, train
from directrank.learners.core.shards import LocalShards
from directrank.measures import as_measure

JOB = "0f7a9c52-4a1e-4c3b-9d0e-7f6b1c2d3e4f"
SPARK_METADATA = {b"org.apache.spark.version": b"3.5.1", b"org.apache.spark.sql.parquet.row.metadata": b'{"type":"struct"}'}


def table_of(part: RankingData) -> pa.Table:
    """Columns of Spark's types: a label of int, a qid of string, nullable columns, the label last."""
    columns = {name: pa.array(part.X[:, j]) for j, name in enumerate(part.feature_names)}
    columns |= {"qid": pa.array([f"q{q}" for q in part.qid.tolist()]), "label": pa.array(part.y.astype(np.int32))}
    return pa.table(columns).replace_schema_metadata(SPARK_METADATA)


def write_as_spark(folder: Path, parts: list[RankingData | None]) -> Path:
    """What ``frame.write.parquet(folder)`` leaves; None for a partition without rows (Spark writes the first even so)."""
    folder.mkdir(parents=True)
    for number, part in enumerate(parts):
        name = f"part-{number:05}-{JOB}-c000.snappy.parquet"
        table = table_of(PARTS[0]).slice(0, 0) if part is None else table_of(part)
        pq.write_table(table, folder / name, compression="snappy", flavor="spark", version="1.0")
        (folder / f".{name}.crc").write_bytes(b"crc\0\0\0\2\0")
    (folder / "_SUCCESS").touch()
    (folder / "._SUCCESS.crc").write_bytes(b"crc\0\0\0\2\0")
    return folder


def test_a_folder_of_spark_gives_the_same_model(cluster: Cluster, tmp_path: Path) -> None:
    folder = write_as_spark(tmp_path / "train", [None, *PARTS])
    data = read_parquet(folder, client=cluster.client)
    assert [Path(name).name[:10] for name in data.names] == ["part-00001", "part-00002", "part-00003"]
    assert (len(data), data.n_queries, data.feature_names) == (len(DATA), DATA.n_queries, tuple(DATA.feature_names))
    found = train(RankSVM(C=1), data)
    wanted = RankSVM(C=1).fit_shards(LocalShards.from_data(PARTS, as_measure("AP")))
    np.testing.assert_array_equal(found.coef_, wanted.coef_)
    as_url = read_parquet(f"file://{folder}", client=cluster.client)
    assert as_url.n_queries == DATA.n_queries and len(as_url.shards) == 3


def test_a_query_in_two_parts_is_named(cluster: Cluster, tmp_path: Path) -> None:
    """As where `maxRecordsPerFile` divides a partition, or rows were not partitioned by qid."""
    middle = len(DATA) // 2
    folder = write_as_spark(tmp_path / "train", [DATA.select(slice(middle)), DATA.select(slice(middle, None))])
    query = f"q{DATA.qid[middle]}"
    with pytest.raises(InputError, match=rf"query '{query}' is in .*part-00000-.* and in .*part-00001-.*shuffle=True"):
        read_parquet(folder, client=cluster.client)
    gathered = read_parquet(folder, shuffle=True, client=cluster.client)
    assert gathered.n_queries == DATA.n_queries and len(gathered) == len(DATA)


@pytest.mark.parametrize("scheme", ["", "file://"], ids=["path", "URL"])
def test_partitions_of_hive(scheme: str, cluster: Cluster, tmp_path: Path) -> None:
    folder = tmp_path / "train"
    for number, part in enumerate(PARTS):
        write_as_spark(folder / f"day={number}" / "market=de", [part])
    with pytest.warns(InputWarning) as caught:
        data = read_parquet(f"{scheme}{folder}", client=cluster.client)
    assert sorted(str(warning.message).partition(": ")[2] for warning in caught) == [
        f"left out '{name}', which is in the names of folders only: it is not a feature" for name in ("day", "market")
    ]
    assert data.feature_names == tuple(DATA.feature_names) and data.n_queries == DATA.n_queries
    one = read_parquet(f"{scheme}{folder}/day=1/market=de", client=cluster.client)  # of its own, without a warning
    assert one.n_queries == PARTS[1].n_queries
    with pytest.warns(InputWarning):
        gathered = read_parquet(f"{scheme}{folder}", shuffle=True, client=cluster.client)
    assert gathered.feature_names == tuple(DATA.feature_names)
    with pytest.raises(InputError, match="the column 'day' is in the names of folders only; write it into the files too"):
        read_parquet(f"{scheme}{folder}", qid="day", client=cluster.client)


def test_an_unfinished_folder_is_refused(cluster: Cluster, tmp_path: Path) -> None:
    folder = write_as_spark(tmp_path / "train", parts_of(DATA, 2))
    (folder / "_SUCCESS").unlink()
    (folder / "_temporary" / "0").mkdir(parents=True)
    with pytest.raises(InputError, match=r"train holds a folder _temporary: its writer \(Spark\?\) has not finished"):
        read_parquet(folder, client=cluster.client)


def test_folders_without_rows_or_with_other_types(cluster: Cluster, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the data is empty: .*part-00000-.*parquet has no rows"):
        read_parquet(write_as_spark(tmp_path / "empty", [None]), client=cluster.client)
    folder = write_as_spark(tmp_path / "vectors", PARTS[:1])
    (file,) = folder.glob("*.parquet")
    table = pq.read_table(file)
    decimals = table.append_column("price", pa.array([1] * len(table), pa.decimal128(10, 2)))
    pq.write_table(decimals, file)
    assert "price" in (read_parquet(folder, client=cluster.client).feature_names or ())

"""Data folders: files that are read, and errors."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import numpy as np
import pytest

from directrank import InputError, evaluate_run, read_qrels, read_run
from directrank.papers.yue.data_sources import read_run_folder, read_text_folder


def test_runs_in_a_subfolder_without_the_short_one(runs_folder: Path) -> None:
    found = read_run_folder(runs_folder)
    assert sorted(found.names) == ["bad", "fair", "good"] and len(found.ids) == 20
    assert found.remarks == ("Short runs, left out: short (20 queries, 7 documents per query).",)


def test_plain_runs_beside_the_qrels(runs_folder: Path, tmp_path: Path) -> None:
    shutil.copy(runs_folder / "qrels.robust.txt", tmp_path / "qrels.txt")
    (tmp_path / "README.md").write_text("what this is\n")
    for file in (runs_folder / "runs").iterdir():
        (tmp_path / f"input.{file.stem}").write_bytes(gzip.decompress(file.read_bytes()))
    found, wanted = read_run_folder(tmp_path), read_run_folder(runs_folder)
    assert found.names == wanted.names
    np.testing.assert_array_equal(found.data.X, wanted.data.X)


def test_runs_with_equal_tags_get_distinct_names(runs_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(runs_folder, tmp_path, dirs_exist_ok=True)
    shutil.copy(tmp_path / "runs" / "good.gz", tmp_path / "runs" / "same.gz")
    assert sorted(read_run_folder(tmp_path).names) == ["bad", "fair", "good", "same"]


def test_run_with_few_queries_is_short(runs_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(runs_folder, tmp_path, dirs_exist_ok=True)
    lines = gzip.decompress((tmp_path / "runs" / "good.gz").read_bytes()).decode().splitlines()
    (tmp_path / "runs" / "half").write_text("\n".join(line for line in lines if int(line.split()[0]) < 11) + "\n")
    (remark,) = read_run_folder(tmp_path).remarks
    assert "(10 queries, 39 documents per query)" in remark and "good (" not in remark.replace("good.gz", "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda f: (f / "qrels.robust.txt").unlink(),
            "no file in this folder is named qrels*; give --data runs=FOLDER, a folder with TREC runs",
        ),
        (
            lambda f: (f / "qrels2").write_text("1 0 d1 1\n"),
            "there are qrels.robust.txt, qrels2, but only one qrels* is expected; keep one",
        ),
        (lambda f: (f / "runs" / "notes").write_text("not a run\n"), "notes:1: expected 6 column"),
        (lambda f: [file.unlink() for file in (f / "runs").iterdir()], "there are no runs"),
    ],
)
def test_invalid_run_folder(runs_folder: Path, tmp_path: Path, change, message: str) -> None:  # type: ignore[no-untyped-def]
    shutil.copytree(runs_folder, tmp_path, dirs_exist_ok=True)
    change(tmp_path)
    with pytest.raises(InputError, match="(?s)" + message.replace("*", r"\*")):
        read_run_folder(tmp_path)


def test_values_match_evaluate_run(runs_folder: Path) -> None:
    found, qrels = read_run_folder(runs_folder), read_qrels(runs_folder / "qrels.robust.txt")
    assert list(found.alone) == ["good", "fair", "bad"] and np.all(found.recall < 1)
    for name, values in found.alone.items():
        wanted = evaluate_run(read_run(runs_folder / "runs" / f"{name}.gz"), qrels, "AP")
        assert values == pytest.approx(dict(zip(map(str, wanted.qid), wanted.per_query["AP"].tolist(), strict=True)))


def test_descriptions_of_topics_on_trec_documents(text_folder: Path) -> None:
    found = read_text_folder(text_folder)
    assert len(found.names) == 15 and len(found.ids) == 20
    assert np.mean(list(next(iter(found.alone.values())).values())) > 0.3  # 0 if titles were the queries


def test_cranfield_queries_are_numbered_in_order(tmp_path: Path) -> None:
    texts = ["wing flow", "heat shock", "plate layer"]
    (tmp_path / "cran.all.1400").write_text("".join(f".I {i}\n.T\n{t}\n.W\n{t}\n" for i, t in enumerate(texts, 1)))
    (tmp_path / "cran.qry").write_text("".join(f".I {10 * i:03}\n.W\n{t}\n" for i, t in enumerate(texts, 1)))
    (tmp_path / "cranqrel.trec.txt").write_text("".join(f"{i} 0 {i} 1\n" for i in range(1, 4)))
    found = read_text_folder(tmp_path)
    assert found.ids == ["1", "2", "3"] and set(found.alone["bm25 plain"].values()) == {1.0}


def test_incomplete_text_folder(text_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "documents").symlink_to(text_folder / "documents")
    with pytest.raises(
        InputError, match=r"no file in this folder is named topics\*; give --data text=FOLDER, a folder with documents\*"
    ):
        read_text_folder(tmp_path)

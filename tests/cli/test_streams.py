"""The command and unusual files: pipes, descriptors, names and locales that are not UTF-8, files that are too large."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from harness import ASCII, Ended, error_of, error_sentence, run, run_process

from directrank import read_letor
from directrank.data import write_scores


def test_features_of_pipes(tmp_path: Path) -> None:
    documents = "".join(f"d{i}\tword{i} cat\n" for i in range(3000))
    (tmp_path / "docs.tsv").write_text(documents)
    (tmp_path / "queries.tsv").write_text("1\tcat\n")
    (tmp_path / "qrels").write_text("1 0 d7 1\n")
    files = "<(cat docs.tsv) <(cat queries.tsv) <(cat qrels)"
    command = f"{sys.executable} -m directrank features {files} --depth 3000 -o data.txt"
    out = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, check=False, timeout=300)
    assert out.returncode == 0, out.stderr
    assert sorted(read_letor(tmp_path / "data.txt").docno.tolist()) == sorted(f"d{i}" for i in range(3000))


def test_output_is_appended_to_a_file_opened_by_the_shell(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("1 qid:1 1:2\n")
    (tmp_path / "all.txt").write_text("# before\n")
    with open(tmp_path / "all.txt", "a") as out:
        done = run_process("convert", tmp_path / "data.txt", "/dev/stdout", stdout=out)
    assert done.code == 0, done.err
    assert (tmp_path / "all.txt").read_text() == "# before\n1 qid:1 1:2.0\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["all.txt", "data.txt"]


def test_the_index_of_a_frame_is_dropped_with_a_note(tmp_path: Path) -> None:
    frame = pd.DataFrame({"label": [0, 1, 2], "qid": [1, 1, 2], "a": [1.0, 2.0, 3.0]}).iloc[[2, 0, 1]]
    frame.to_parquet(tmp_path / "data.parquet")
    out = run("describe", tmp_path / "data.parquet", "--json")
    assert out.code == 0 and '"n_features": 1,' in out.out
    assert out.err.count("\n") == 1
    assert "data.parquet: label: label, query: qid, 1 feature; left out: __index_level_0__" in out.err


def test_files_beyond_the_limit(tmp_path: Path) -> None:
    (tmp_path / "data.txt.gz").write_bytes(gzip.compress(b"1 qid:1 1:2\n" * 10**6))
    assert "holds more than 1,048,576 bytes" in error_of("describe", tmp_path / "data.txt.gz", "--max-size", "1M")
    assert "documents" in run("describe", tmp_path / "data.txt.gz").out  # the limit was for that command only
    sentence = "--max-size lots: write a number of bytes, such as 500M or 64G"
    assert error_of("describe", tmp_path / "data.txt.gz", "--max-size", "lots") == sentence


def test_folders_and_inputs_are_no_outputs(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("not data\n")
    assert "is a folder; name a file to write" in error_of("convert", tmp_path / "data.txt", tmp_path)
    (tmp_path / "link").symlink_to("data.txt")
    assert "is both an input and the output" in error_of("convert", tmp_path / "data.txt", tmp_path / "link")


@pytest.mark.parametrize(("run", "shown"), [(run, "é"), (partial(run_process, **ASCII), "\\xe9")], ids=["UTF-8", "ASCII"])
def test_names_that_are_not_utf_8(tmp_path: Path, run: Callable[..., Ended], shown: str) -> None:
    odd = os.fsdecode(b"caf\xe9")
    (tmp_path / odd).write_text("x qid:1 1:1\n")
    assert "the line must start with a grade" in error_sentence(run("describe", odd, folder=tmp_path))
    (tmp_path / odd).write_text("1 qid:1 1:1 # naïve\n0 qid:é 1:0 # ü\n")
    write_scores(tmp_path / f"{odd}.scores", np.array([1.0, 2.0]))
    out = run("evaluate", odd, "--scores", f"{odd}.scores", "--per-query", folder=tmp_path)
    assert out.code == 0 and out.err == "" and shown in out.out
    out = run("convert", odd, "--scores", f"{odd}.scores", f"{odd}.run", folder=tmp_path)
    assert out.code == 0, out.err
    assert b" caf\\xe9\n" in (tmp_path / f"{odd}.run").read_bytes()
    (tmp_path / "qrels").write_text("1 0 naïve 1\n")
    for name in (f"{odd}1.run", f"{odd}2.run"):
        (tmp_path / name).write_text("1 Q0 naïve 1 2.0 tag\n")
    out = run("convert", "--qrels", "qrels", f"{odd}1.run", f"{odd}2.run", f"{odd}.txt", folder=tmp_path)
    assert out.code == 0, out.err
    assert read_letor(tmp_path / f"{odd}.txt").feature_names == ["caf\\xe91", "caf\\xe92"]

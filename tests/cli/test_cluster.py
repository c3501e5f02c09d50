"""The command on a cluster."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest
from clusters import Cluster
from harness import error_of, stderr_of, stdout_of

from directrank import RankingData, read_parquet, write_letor, write_parquet
from directrank.data import read_scores
from directrank.datasets import make_ranking
from directrank.models import load_model

ENVIRONMENT = os.environ | {"OMP_WAIT_POLICY": "passive"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("cluster")
    write_parquet(made / "train", make_ranking(40, random_state=0), shards=3)
    write_parquet(made / "vali", make_ranking(20, random_state=1), shards=2)
    write_letor(made / "train.txt", make_ranking(40, random_state=0))
    return made


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a scheduler with one worker, shared by all tests."""
    cluster = Cluster(tmp_path_factory.mktemp("scheduler"), 1)
    yield cluster.address
    cluster.close()


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A Python with some arguments in a session of its own, of which nothing outlives the block."""
    command = [sys.executable, *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=ENVIRONMENT, start_new_session=True, **pipes) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def test_train_predict_and_evaluate(folder: Path, address: str) -> None:
    model, on = folder / "model.json", ("--cluster", address)
    out = json.loads(stdout_of("train", folder / "train", "--validate", folder / "vali", *on, "-o", model, "--json"))
    assert out["measure"] == "AP" and set(out["values"]) == {str(folder / "train"), str(folder / "vali")}
    learned = load_model(model)
    assert learned.feature_names == tuple(make_ranking(1).feature_names)
    stdout_of("predict", model, folder / "vali", *on, "-o", folder / "scores.txt")
    parts = [read_parquet(folder / "vali" / f"part-0000{i}.parquet") for i in range(2)]
    wanted = np.concatenate([learned.predict(part.X) for part in parts])
    np.testing.assert_allclose(read_scores(folder / "scores.txt"), wanted, rtol=1e-12)
    values = json.loads(stdout_of("evaluate", folder / "vali" / "*.parquet", "--model", model, *on, "-m", "AP", "--json"))
    assert values["model"]["means"]["AP"] == pytest.approx(out["values"][str(folder / "vali")])
    files = [folder / "train" / f"part-0000{i}.parquet" for i in range(3)]
    stdout_of(
        "train",
        *files,
        *on,
        "--learner",
        "lambdamart",
        "--set",
        "n_estimators=3",
        "--set",
        "n_seeds=1",
        "-o",
        folder / "trees.json",
    )
    assert load_model(folder / "trees.json").n_trees == 3


def test_notes_are_those_without_a_cluster(folder: Path, address: str, tmp_path: Path) -> None:
    """Of rows without qid, and of columns that are in the names of folders only."""
    data = read_parquet(folder / "vali" / "part-00000.parquet")
    (tmp_path / "day=1").mkdir()
    write_parquet(tmp_path / "day=1" / "a.parquet", RankingData(data.X, data.y, feature_names=data.feature_names))
    command = ("train", tmp_path, "--cluster", address, "--set", "C=1", "-o", tmp_path / "m.json")
    said = stderr_of(*command)
    assert "left out 'day', which is in the names of folders only: it is not a feature" in said
    assert re.search(r"no qid: all \d+ rows of .*a\.parquet are taken as one query; add a column qid", said)


def test_evaluate_a_model_without_a_cluster(folder: Path, address: str) -> None:
    model = folder / "here.json"
    stdout_of("train", folder / "train.txt", "--set", "C=1", "-o", model)
    here = json.loads(stdout_of("evaluate", folder / "train.txt", "--model", model, "-m", "AP", "--json"))
    there = json.loads(stdout_of("evaluate", folder / "train", "--model", model, "-m", "AP", "--json", "--cluster", address))
    assert here["here"]["means"]["AP"] == pytest.approx(there["here"]["means"]["AP"])


def test_bad_input_gets_one_sentence(folder: Path, address: str, tmp_path: Path) -> None:
    on, out = ("--cluster", address), ("-o", tmp_path / "m.json")
    assert "on a cluster, data must be Parquet; use directrank convert" in error_of("train", folder / "train.txt", *on, *out)
    assert "there is no such Parquet file, as seen from the workers" in error_of("train", tmp_path / "*.parquet", *on, *out)
    assert "there is no Dask scheduler" in error_of("train", folder / "train", "--cluster", "nonsense", *out)
    encrypted = error_of("train", folder / "train", "--cluster", "tls://127.0.0.1:1", *out)
    assert "an encrypted cluster needs certificates; set Dask's distributed.comm.tls.ca-file" in encrypted
    assert "ask for at least one worker, as in local:4" in error_of("train", folder / "train", "--cluster", "local:0", *out)
    for addressed in (("train", "s3://a/b", *out), ("evaluate", "s3://a/b", "--model", "m.json")):
        assert "s3://a/b: an address is read by the workers of a cluster; add --cluster local, or" in error_of(*addressed)
    assert "--cluster goes with Parquet files and --model" in error_of("evaluate", folder / "vali", *on)
    too_large = error_of("train", folder / "train", *on, *out, "--max-size", "1K")
    assert "part-00000.parquet: the file holds more than 1,024 bytes of data" in too_large
    assert "--feature-names is not for a cluster" in error_of("train", folder / "train", *on, *out, "--feature-names", "a,b")
    assert "takes the whole file as one set" in error_of("train", folder / "train", *on, *out, "--learner", "multivariate")
    assert not (tmp_path / "m.json").exists()


def test_a_client_that_finds_no_scheduler_is_closed(folder: Path, tmp_path: Path) -> None:
    """Or it would be closed as garbage, by chance while another client starts."""
    before = threading.enumerate()
    error_of("train", folder / "train", "--cluster", "tls://127.0.0.1:1", "-o", tmp_path / "m.json")
    assert not [thread for thread in threading.enumerate() if thread.name == "IO loop" and thread not in before]


def test_workers_of_its_own(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They find a custom measure in the current folder; Python itself is told not to look there (-P)."""
    (tmp_path / "own_measure.py").write_text("from directrank.measures import AP\nclass Mine(AP):\n    pass\n")
    monkeypatch.chdir(tmp_path)
    data = ["train", f"file://{folder / 'train'}", "--cluster", "local:2"]
    command = [*data, "-m", "own_measure:Mine", "--set", "C=1", "-o", str(tmp_path / "m.json")]
    with started("-P", "-m", "directrank", *command) as process:
        out, said = process.communicate(timeout=120)
    assert process.returncode == 0 and re.search(r"train +│ 0\.\d{4}", out), said
    progress = ("Reading shards: ", "Training for ")  # of jobs that take more than ten seconds, on a loaded machine
    assert all(line.startswith(progress) for line in said.splitlines()) and (tmp_path / "m.json").exists()


def test_ctrl_c_reaches_the_command_and_not_its_workers(folder: Path, tmp_path: Path) -> None:
    """A terminal sends it to all of them."""
    model = tmp_path / "m.json"
    command = ["train", str(folder / "train"), "--cluster", "local:1", "--learner", "rankboost", "--keep-partial"]
    command += ["--set", "n_estimators=1000000", "--set", "thresholds=none", "-o", str(model)]
    with started("-c", WAITING, *command) as process:
        assert select.select([process.stdout], [], [], 120)[0] and process.stdout.readline() == "training\n"
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)
        try:
            out, said = process.communicate(timeout=30)
        except subprocess.TimeoutExpired:  # Python may lose an interrupt, in a weak reference's callback
            os.killpg(process.pid, signal.SIGINT)
            out, said = process.communicate(timeout=60)
    assert process.returncode == 130 and "has the model so far" in said and "Traceback" not in said, said
    assert "training was interrupted" in said and load_model(model).n_features == 16 and "AUC" not in said
    assert re.search(r"train +│ 0\.\d{4}", out)


#: The command, which says when its first round has ended.
WAITING = """
import signal
from directrank import RankBoost
from directrank.cli import main
report = RankBoost._report
def said(self, *args):
    if not self.history_:
        print("training", flush=True)
    report(self, *args)
RankBoost._report = said
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests in the background ignores it
if __name__ == "__main__":
    main()
"""

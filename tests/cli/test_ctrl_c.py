"""Ctrl-C while the command trains, as a terminal sends it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from directrank import load_model, write_letor
from directrank.datasets import make_ranking

pytestmark = pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")

SLOW = """
import time
from pathlib import Path
from directrank.measures import AP
from directrank.measures.average_precision import BoundAP

class SlowBound(BoundAP):
    def evaluate(self, scores):
        wait()
        return super().evaluate(scores)

    def most_violated(self, scores):
        wait()
        return super().most_violated(scores)

class Slow(AP):
    bound = SlowBound

def wait():
    with open("steps", "a") as file:
        file.write(".")
    time.sleep(0.02)
"""

# Whoever runs the tests in the background has SIGINT ignored, which children inherit.
START = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from directrank.cli import main; main()"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Data, a model of before, and a measure that takes its time and says that it has begun."""
    (tmp_path / "slow.py").write_text(SLOW)
    write_letor(tmp_path / "train.txt", make_ranking(20, (5, 10), random_state=0))
    write_letor(tmp_path / "vali.txt", make_ranking(10, (5, 10), random_state=1))
    (tmp_path / "out").write_text("the old one")
    return tmp_path


def interrupted(folder: Path, *arguments: str, steps: int = 10, again_after: float | None = None) -> tuple[int, str]:
    """The exit code, and what was said, of a command that gets SIGINT after some steps of its learner."""
    command = [sys.executable, "-c", START, *arguments]
    env = {**os.environ, "PYTHONPATH": f"{folder}:{os.environ.get('PYTHONPATH', '')}"}
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    ) as process:
        try:
            deadline = time.monotonic() + 120
            while process.poll() is None and (not (folder / "steps").exists() or (folder / "steps").stat().st_size < steps):
                assert time.monotonic() < deadline
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            if again_after is not None:
                time.sleep(again_after)
                process.send_signal(signal.SIGINT)
            began = time.monotonic()
            _, said = process.communicate(timeout=30)
            assert time.monotonic() - began < 10
        finally:
            process.kill()
    assert "Traceback" not in said
    return process.returncode, said


TRAIN = ("train", "train.txt", "-m", "slow:Slow", "-o", "out")


@pytest.mark.parametrize("learner", ["svm", "lambdamart"])
def test_training_ends_with_130_and_leaves_the_old_model(folder: Path, learner: str) -> None:
    code, said = interrupted(folder, *TRAIN, "--learner", learner, "--validate", "vali.txt")
    assert code == 130 and (folder / "out").read_text() == "the old one"
    assert "directrank: training was interrupted; out is unchanged (--keep-partial saves the model so far)" in said
    assert "was interrupted" in said.splitlines()[0]
    assert not list(folder.glob(".*"))


def test_choosing_C_by_folds_is_training_too(folder: Path) -> None:
    code, said = interrupted(folder, *TRAIN, steps=40)
    assert code == 130 and (folder / "out").read_text() == "the old one"
    assert said.startswith("directrank: training was interrupted")


@pytest.mark.parametrize("given", [("--validate", "vali.txt"), ("--set", "C=1000", "--set", "tol=1e-12")])
def test_keep_partial_writes_the_model_so_far(folder: Path, given: tuple[str, ...]) -> None:
    code, said = interrupted(folder, *TRAIN, "--keep-partial", *given)
    assert code == 130 and "directrank: training was interrupted; out has the model so far" in said
    assert np.any(load_model(folder / "out").coef)


@pytest.mark.parametrize(
    ("kept", "seconds"), [((), 0.0), ((), 0.1), *((("--keep-partial",), seconds) for seconds in (0.0, 0.02, 0.1))]
)
def test_a_second_ctrl_c_changes_nothing(folder: Path, kept: tuple[str, ...], seconds: float) -> None:
    code, _ = interrupted(folder, *TRAIN, *kept, again_after=seconds)
    assert code == 130
    content = (folder / "out").read_text()
    assert content == "the old one" or (kept and json.loads(content))
    assert not list(folder.glob(".*"))


@pytest.fixture
def runs(folder: Path) -> Path:
    random = np.random.default_rng(0)
    for name in ("a", "b"):
        lines = [f"{q} Q0 d{i} 0 {random.random()} {name}\n" for q in range(10) for i in range(8)]
        (folder / f"{name}.run").write_text("".join(lines))
    (folder / "qrels").write_text("".join(f"{q} 0 d{i} {i % 2}\n" for q in range(10) for i in range(8)))
    return folder


def test_fusing_ends_with_130_and_leaves_the_old_run(runs: Path) -> None:
    fuse = ("fuse", "a.run", "b.run", "--qrels", "qrels", "-m", "slow:Slow", "-o", "out", "--set", "C=100")
    code, said = interrupted(runs, *fuse)
    assert code == 130 and (runs / "out").read_text() == "the old one"
    assert said.endswith("directrank: interrupted\n")
    assert (runs / "steps").stat().st_size < 40  # no further fold

"""Every writer of the package: killed at each step, on a full disk, in a read-only folder.

A new writer goes into `WRITERS`. Run as a script, this file kills writers in processes that it forks.
"""

from __future__ import annotations

import ast
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import directrank
from directrank import RankingData, load_model, read_letor, read_parquet, save_model, write_letor, write_parquet
from directrank.clicks import PositionBias
from directrank.data import Qrels, Run, read_qrels, read_run, read_scores, write_qrels, write_run, write_scores
from directrank.data.formats.file_format import Format
from directrank.data.formats.tables.writer import write_rows, write_table
from directrank.data.io import folders
from directrank.data.split_folders import write_splits
from directrank.data.splits import PARTS, Split
from directrank.datasets.docstring_features import Document
from directrank.datasets.example import Example
from directrank.datasets.example_folder import EXAMPLE_FILES, save_example
from directrank.datasets.simulated_clicks import Impression
from directrank.evaluation import evaluate
from directrank.evaluation.report import Report, compare_all
from directrank.evaluation.report.page import page_file
from directrank.models import LinearModel
from directrank.models.export import Exported
from directrank.retrieval import TextIndex

N_ROWS = 40
ITEMS = [f"d{i}" for i in range(N_ROWS)]


class Writer(NamedTuple):
    """Writes a file or folder that contains a number, and reads the number, or None if there is nothing."""

    write: Callable[[Path, float], object]
    read: Callable[[Path], float | None]
    #: Whether what is there is replaced.
    replaces: bool = True


def data(value: float) -> RankingData:
    return RankingData(np.full((N_ROWS, 3), value), np.zeros(N_ROWS), np.arange(N_ROWS) // 4, ITEMS)


def value_of(*parts: RankingData) -> float:
    """The value of data that is complete."""
    (value,) = {x for part in parts for x in part.X.ravel().tolist()}
    assert sum(map(len, parts)) == N_ROWS
    return value


def shards(path: Path) -> float:
    folders.restore_folder(path)
    files = sorted(path.glob("*.parquet"))
    assert (path / "README").read_text() == "kept"
    assert [file.name for file in files] == [f"part-0000{i}.parquet" for i in range(len(files))]
    return value_of(*map(read_parquet, files))


def write_shards(path: Path, value: float) -> None:
    write_parquet(path, data(value), shards=2 + int(value))
    if not (path / "README").exists():
        (path / "README").write_text("kept")


def splits(path: Path) -> float:
    (value,) = {value_of(read_letor(path / f"{part}.txt")) for part in PARTS}
    return value


def example(value: float) -> Example:
    named = data(value)
    rows = RankingData(named.X, named.y, ["q"] * N_ROWS, ITEMS, ["x", "y", "z"])
    run = Run(["q"] * N_ROWS, ITEMS, [value] * N_ROWS, "bm25")
    runs = [run, *(Run(run.qid, run.docno, run.score, name) for name in ("tfidf", "dirichlet"))]
    documents = dict.fromkeys(ITEMS, Document("title", str(value)))
    qrels, clicks = Qrels(["q"] * N_ROWS, ITEMS, [value] * N_ROWS), [Impression(1, "q", 1, "d0", int(value), "r")]
    return Example(documents, {"q": "text"}, qrels, runs, rows, rows, rows, clicks)


def read_example(path: Path) -> float | None:
    if not path.exists():
        return None
    assert {file.name for file in path.iterdir()} == set(EXAMPLE_FILES)
    values = {float(line.rpartition(",")[2]) for line in last_line(path / "new.csv")}
    (value,) = values | {float(line.split(",")[-2]) for line in last_line(path / "clicks.csv")}
    assert value == value_of(read_parquet(path / "test.parquet"))
    return value


def last_line(path: Path) -> list[str]:
    return path.read_text().splitlines()[-1:]


@cache
def comparison() -> Report:
    found = evaluate(np.arange(N_ROWS) % 2, np.zeros(N_ROWS), np.arange(N_ROWS) // 4, "AP")
    return compare_all({"a": found, "b": found}, n_resamples=100)


def compute_charts_once() -> None:
    """Compute charts, which take most of the time of a report, for the first report only."""
    page_file.chart_specs = cache(page_file.chart_specs)


@pytest.fixture(scope="module", autouse=True)
def _charts() -> Iterator[None]:
    before = page_file.chart_specs
    compute_charts_once()
    yield
    page_file.chart_specs = before


def report(path: Path) -> float:
    page = path.read_text()
    assert page.rstrip().endswith("</html>")
    return float(page.partition("number ")[2].partition("<")[0])


def exported(path: Path) -> float:
    values = path.read_text().split()
    assert len(values) == N_ROWS and len(set(values)) == 1
    return float(values[0])


@cache
def index(value: float) -> TextIndex:
    return TextIndex.build([(str(value), "cat"), *((name, "dog") for name in ITEMS)], "plain")


WRITERS = {
    "write_letor": Writer(lambda path, x: write_letor(path, data(x)), lambda path: value_of(read_letor(path))),
    "write_parquet": Writer(lambda path, x: write_parquet(path, data(x)), lambda path: value_of(read_parquet(path))),
    "write_parquet, shards": Writer(write_shards, shards),
    **{
        f"write_rows, {format}": Writer(
            lambda path, x, format=format: write_rows(path, data(x), format),
            lambda path: value_of(RankingData.read(path, qid="qid")),
        )
        for format in (Format.csv, Format.jsonl, Format.arrow)
    },
    "write_table": Writer(
        lambda path, x: write_table(path, pa.table({"x": [x] * N_ROWS}), Format.parquet),
        lambda path: pq.read_table(path)["x"].to_numpy().mean(),
    ),
    "write_splits": Writer(
        lambda path, x: write_splits(path, [(".", Split(data(x), data(x), data(x)))]),
        lambda path: splits(path) if path.exists() else None,
        replaces=False,
    ),
    "save_example": Writer(lambda path, x: save_example(path, example(x)), read_example),
    "write_run": Writer(
        lambda path, x: write_run(path, Run([1] * N_ROWS, ITEMS, [x] * N_ROWS)),
        lambda path: np.ptp(read_run(path).score) + read_run(path).score[N_ROWS - 1],
    ),
    "write_qrels": Writer(
        lambda path, x: write_qrels(path, Qrels([1] * N_ROWS, ITEMS, [x] * N_ROWS)),
        lambda path: np.ptp(read_qrels(path).grade) + read_qrels(path).grade[N_ROWS - 1],
    ),
    "write_scores": Writer(
        lambda path, x: write_scores(path, [x] * N_ROWS), lambda path: read_scores(path).reshape(N_ROWS).mean()
    ),
    "PositionBias.save": Writer(
        lambda path, x: PositionBias(np.full(N_ROWS, x + 1.0)).save(path),
        lambda path: float(PositionBias.load(path).at(np.arange(1, N_ROWS + 1))[0].mean()) - 1.0,
    ),
    "save_model": Writer(
        lambda path, x: save_model(path, LinearModel(np.full(N_ROWS, x))),
        lambda path: load_model(path).predict(np.eye(N_ROWS)).mean(),
    ),
    "Exported.save": Writer(lambda path, x: Exported(f"{x}\n".encode() * N_ROWS).save(path), exported),
    "Report.save": Writer(lambda path, x: comparison().save(path, title=f"number {x}"), report),
    "TextIndex.save": Writer(lambda path, x: index(x).save(path), lambda path: float(TextIndex.open(path).docnos[0])),
}

#: Functions that open a file or folder to write, and the writers above that call them.
CALLERS = {
    "clicks/position_bias.py": {"PositionBias.save"},
    "data/formats/letor/writer.py": {"write_letor"},
    "data/formats/parquet/writer.py": {"write_parquet", "write_parquet, shards"},
    "data/formats/scores.py": {"write_scores"},
    "data/formats/tables/writer.py": {*(name for name in WRITERS if name.startswith("write_rows")), "write_table"},
    "data/formats/trec/runs_and_qrels.py": {"write_run", "write_qrels"},
    "data/split_folders.py": {"write_splits"},
    "datasets/example_folder.py": {"save_example"},
    "evaluation/report/page/page_file.py": {"Report.save"},
    "models/export/exported_model.py": {"Exported.save"},
    "models/saving.py": {"save_model"},
    "retrieval/index_files.py": {"TextIndex.save"},
}

#: Files that are written without `replacing`: rows of experiments are appended, bins of workers are temporary, and a command
#: without standard output prints to the null device.
OTHERS = {"papers/rows.py", "learners/lambdamart/data_parallel/shared_bins.py", "cli/app.py"}


def opens_for_writing(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Name) and call.func.id in ("replacing", "replacing_folder"):
        return True
    name = call.func.attr if isinstance(call.func, ast.Attribute) else None
    modes = {argument.value for argument in call.args if isinstance(argument, ast.Constant)}
    is_opened = name == "open" or (isinstance(call.func, ast.Name) and call.func.id == "open")
    return name in ("write_text", "write_bytes") or (is_opened and bool(modes & {"w", "wb", "a", "ab", "x", "xb", "r+b"}))


def test_every_writer_is_listed() -> None:
    root = Path(directrank.__file__).parent
    found = set()
    for file in root.rglob("*.py"):
        calls = (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call))
        if any(map(opens_for_writing, calls)):
            found.add(str(file.relative_to(root)))
    assert {file for file in found - OTHERS if not file.startswith("data/io/")} == set(CALLERS)
    assert set().union(*CALLERS.values()) == set(WRITERS)


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_names_the_file_and_leaves_the_old_one(tmp_path: Path, name: str) -> None:
    writer, path = WRITERS[name], tmp_path / "x.html"
    if writer.replaces:
        writer.write(path, 1.0)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, limits[1]))
    try:
        with pytest.raises(OSError) as raised:  # noqa: PT011
            writer.write(path, 2.0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert str(path) in str(raised.value) and ".part" not in str(raised.value)
    assert writer.read(path) == (1.0 if writer.replaces else None)
    assert [file.name for file in tmp_path.iterdir()] == (["x.html"] if writer.replaces else [])


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
@pytest.mark.parametrize(
    "name",
    [name for name in WRITERS if name not in ("write_parquet, shards", "write_splits", "save_example", "TextIndex.save")],
)
def test_a_full_device_is_named(name: str) -> None:
    with pytest.raises(OSError, match="'/dev/full'"):
        WRITERS[name].write(Path("/dev/full"), 1.0)


def changes_files(event: str, arguments: tuple[Any, ...]) -> bool:
    if event == "open":
        return isinstance(arguments[2], int) and bool(arguments[2] & (os.O_WRONLY | os.O_RDWR))
    changing = ("os.rename", "os.link", "os.mkdir", "os.rmdir", "os.remove", "os.chmod", "shutil.rmtree", "shutil.copyfile")
    return event in changing or (event == "ctypes.dlsym" and arguments[1] == "renameat2")


def killed_at(step: int, act: Callable[[], object]) -> bool:
    """Run a function in a process that is killed before its n-th change of files; returns whether it was."""
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        left = [step]

        def count(event: str, arguments: tuple[Any, ...]) -> None:
            if changes_files(event, arguments):
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                left[0] -= 1

        sys.addaudithook(count)
        try:
            act()
        finally:
            os._exit(0 if sys.exc_info()[0] is None else 1)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL), status
    return status != 0


def kill_at_each_step(writer: Writer, folder: Path) -> None:
    """Kill a writer at each step: what it leaves is old or new, and the next writer removes everything else."""
    states, old = [], folder / "old" / "x.html"
    old.parent.mkdir(parents=True)
    if writer.replaces:
        writer.write(old, 1.0)
    for step in range(200):
        path = folder / str(step) / "x.html"
        shutil.copytree(old.parent, path.parent)
        was_killed = killed_at(step, lambda path=path: writer.write(path, 2.0))
        states.append(writer.read(path))
        if os.listdir(path.parent) != ["x.html"]:
            writer.write(path, 3.0)
            assert writer.read(path) == 3.0 and os.listdir(path.parent) == ["x.html"]
        if not was_killed:
            break
    switched = states.index(2.0)
    assert states == [1.0 if writer.replaces else None] * switched + [2.0] * (len(states) - switched), states
    assert switched > 1


SCRIPT_TIMEOUT = 300


def run_script(*arguments: object) -> None:
    command = [sys.executable, __file__, *map(str, arguments)]
    out = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SCRIPT_TIMEOUT)
    assert out.returncode == 0, out.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_writer_killed_at_any_step_leaves_the_old_version_or_the_new_one(tmp_path: Path) -> None:
    run_script("kill", tmp_path)


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="needs setuid, to be an ordinary user")
def test_a_read_only_folder_is_named() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        run_script("read-only", folder)


def kill(folder: Path) -> None:
    compute_charts_once()
    for name, writer in WRITERS.items():
        kill_at_each_step(writer, folder / name)
    folders._exchange_at_once = lambda *_: False  # as on a file system that cannot
    kill_at_each_step(WRITERS["write_parquet, shards"], folder / "without exchange")


def refuse_read_only(folder: Path) -> None:
    compute_charts_once()
    for name, writer in WRITERS.items():
        if writer.replaces:
            (folder / name).mkdir()
            writer.write(folder / name / "old.html", 1.0)
    for path in folder.glob("*"):
        path.chmod(0o555)
    owned = folder / "owned" / "x.html"
    owned.parent.mkdir(mode=0o777)
    write_shards(owned, 1.0)
    owned.chmod(0o555)
    if os.getuid() == 0:
        for path in (owned, owned.parent):
            os.chown(path, 65534, 65534)
        os.setgid(65534)
        os.setuid(65534)
    for name, writer in WRITERS.items():
        for path in (folder / name / "new.html", folder / name / "old.html") if writer.replaces else (folder / "new.html",):
            try:
                writer.write(path, 2.0)
            except (OSError, directrank.InputError) as error:
                assert str(folder) in str(error) and ".part" not in str(error), (name, error)
            else:
                raise AssertionError(f"{name} wrote to a read-only folder")
        assert not writer.replaces or writer.read(folder / name / "old.html") == 1.0
    with pytest.raises(directrank.InputError, match=rf"^{owned} is read-only; choose another folder$"):
        write_shards(owned, 2.0)
    assert shards(owned) == 1.0


if __name__ == "__main__":
    {"kill": kill, "read-only": refuse_read_only}[sys.argv[1]](Path(sys.argv[2]))

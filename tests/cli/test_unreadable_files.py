"""Input files that are missing, no files, or damaged: one sentence that names the file, in every command."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from harness import run

from directrank import save_model
from directrank.cli.app import COMMANDS
from directrank.models import LinearModel

#: FILE is the file that cannot be read; the others can.
READING = [
    "features FILE topics.tsv qrels -o out.txt",
    "features docs.tsv FILE qrels -o out.txt",
    "features docs.tsv topics.tsv FILE -o out.txt",
    "describe FILE",
    "split FILE -o parts",
    "train FILE -o out.json",
    "train data.txt --validate FILE -o out.json",
    "cv FILE",
    "tune FILE",
    "tune data.txt --validate FILE",
    "best FILE",
    "predict FILE data.txt -o out.txt",
    "predict m.json FILE -o out.txt",
    "evaluate FILE --scores scores",
    "evaluate data.txt --scores FILE",
    "evaluate data.txt --model FILE",
    "evaluate --qrels FILE one.run",
    "evaluate --qrels qrels FILE",
    "compare --qrels qrels one.run FILE",
    "report --qrels FILE one.run two.run.gz -o page.html",
    "report --qrels qrels one.run two.run.gz -o page.html --query-texts FILE",
    "report --qrels qrels one.run two.run.gz -o page.html --documents FILE",
    "export FILE --to python",
    "export m.json --to python --check FILE",
    "fuse one.run FILE --learner rrf -o out.run",
    "fuse one.run two.run.gz --qrels FILE -o out.run",
    "convert FILE out.parquet",
    "convert --qrels FILE one.run out.txt",
    "convert data.txt --scores FILE out.run",
    "clicks describe FILE",
    "clicks bias FILE -o bias.json",
    "clicks judge FILE -o judgments.csv",
    "train data.txt --clicks FILE -m ARP -o out.json",
]


@pytest.fixture
def folder(runs: Path, letor: Path) -> Path:
    save_model(runs / "m.json", LinearModel(np.array([1.0, 2.0])))
    (runs / "docs.tsv").write_text("a\tcat\nb\tdog\nc\tcat dog\n")
    (runs / "topics.tsv").write_text("1\tcat\n2\tdog\n3\tcow\n")
    (runs / "damaged.gz").write_bytes(gzip.compress(b"1 qid:1 1:1 # a\n" * 999)[:-20])
    (runs / "empty").mkdir()
    return runs


@pytest.mark.parametrize("name", ["missing.txt", "empty", "qrels/file.txt", "damaged.gz", "n" * 300])
def test_an_input_that_cannot_be_read_is_named(folder: Path, name: str) -> None:
    before = sorted(folder.iterdir())
    for command in READING:
        ended = run(*(name if word == "FILE" else word for word in command.split()), folder=folder)
        error = ended.err.splitlines()[-1]  # after notes on what could be read
        assert ended.code == 2 and ended.out == "" and error.startswith("directrank: ") and name in error, (command, ended)
    assert sorted(folder.iterdir()) == before


def test_every_command_that_reads_files_is_listed() -> None:
    assert {command.split()[0] for command in READING} == set(COMMANDS) - {"demo", "example", "papers"}

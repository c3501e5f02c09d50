"""Folders that the experiments are run on: TREC runs, or documents with queries; and judgments with either."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...data import InputError, Qrels, Run, join_runs, read_qrels, read_run
from ...data.ranking_names import ranking_names
from ...retrieval import TextIndex, pool
from ..experiment import Source
from ..folders import only
from ..text_folder import HOLDS, read_text_files
from .base_functions import BaseFunctions

#: Files beside the runs that are none.
_BESIDE = re.compile(r"\..*|read.?me.*|.*\.(md|html|pdf|dtd)|(qrels|topics|queries).*", re.IGNORECASE)

#: A run is short if it has fewer judged queries than this share of what the run with most has, ...
_QUERIES = 0.9
#: ... or fewer documents than this share of what half of the runs have.
_DOCUMENTS = 0.5

#: Of the three indices (section 4.1).
ANALYSERS = ("plain", "porter", "porter+indri")


def read_run_folder(folder: Path) -> BaseFunctions:
    """TREC runs and their judgments: the union of the documents of all runs, each run a function.

    Short runs are left out, as in the paper: those that have much fewer queries or documents than the others.
    """
    runs, qrels = runs_of(folder)
    kept, remarks = _not_short(runs, qrels)
    return BaseFunctions.of(join_runs(kept, qrels, missing=np.nan), qrels, remarks)


def runs_of(folder: Path) -> tuple[list[Run], Qrels]:
    """All runs of a folder, and the judgments."""
    qrels = read_qrels(only(folder, "qrels", RUNS))
    inside = folder / "runs" if (folder / "runs").is_dir() else folder
    files = [file for file in sorted(inside.iterdir()) if file.is_file() and not _BESIDE.fullmatch(file.name)]
    if not files:
        raise InputError(f"{inside}: there are no runs; give --data {RUNS.name}=FOLDER, a folder with {RUNS.holds}")
    runs = [read_run(file) for file in files]
    names = ranking_names(files, [run.name for run in runs])
    return [replace(run, name=name) for run, name in zip(runs, names, strict=True)], qrels


def read_text_folder(folder: Path) -> BaseFunctions:
    """A text collection: 5 retrieval functions on each of 3 indexes, the union of the first 1000 documents of each."""
    found = read_text_files(folder, TEXT)
    texts = ((document.docno, document.text) for document in found.documents)
    indices = TextIndex.build_all(texts, ANALYSERS)
    return BaseFunctions.of(pool(indices, found.queries, found.qrels, depth=1000), found.qrels)


RUNS = Source(
    "runs",
    "TREC runs, plain or gzip, in it or in a subfolder runs, judgments in a file qrels*; manual runs should not be there",
    "TREC's web tracks of 2000 and 2001 in the paper; runs of any track with judgments will do",
    read_run_folder,
)
TEXT = Source(
    "text",
    HOLDS,
    "WT10g with TREC's topics 451 to 550 in the paper; Cranfield is free",
    read_text_folder,
)


def _not_short(runs: list[Run], qrels: Qrels) -> tuple[list[Run], list[str]]:
    """The runs without short ones, and what was left out."""
    judged = set(qrels.qid.tolist())
    queries = np.array([len(judged.intersection(run.qid.tolist())) for run in runs])
    documents = np.array([len(run) / len(set(run.qid.tolist())) for run in runs])
    short = (queries < _QUERIES * queries.max()) | (documents < _DOCUMENTS * np.median(documents))
    left_out = [
        f"{run.name} ({queries[i]} queries, {documents[i]:.0f} documents a query)" for i, run in enumerate(runs) if short[i]
    ]
    remarks = [f"Short runs that were left out: {', '.join(left_out)}."] if left_out else []
    return [run for run, is_short in zip(runs, short, strict=True) if not is_short], remarks

"""Data folders of the experiments: TREC runs, or documents with queries, and qrels with either."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...data import InputError, Qrels, Run, join_runs, read_qrels, read_run
from ...data.ranking_names import ranking_names
from ...retrieval import TextIndex, pool
from ..experiment import Source
from ..folders import find_one
from ..text_folder import CONTENTS, read_text_files
from .base_functions import BaseFunctions

#: Names of files that are not runs.
_NOT_RUNS = re.compile(r"\..*|read.?me.*|.*\.(md|html|pdf|dtd)|(qrels|topics|queries).*", re.IGNORECASE)

#: A run is short if it has fewer judged queries than this fraction of the maximum over the runs, ...
_MIN_QUERIES = 0.9
#: ... or fewer documents per query than this fraction of the median.
_MIN_DOCUMENTS = 0.5

#: Analysers of the three indexes (section 4.1).
ANALYSERS = ("plain", "porter", "porter+indri")


def read_run_folder(folder: Path) -> BaseFunctions:
    """Read TREC runs and qrels: each run is a function, and the documents are the union over all runs.

    Short runs are left out as in the paper: those with far fewer queries or documents than the others.
    """
    runs, qrels = read_runs(folder)
    kept, remarks = _without_short_runs(runs, qrels)
    return BaseFunctions.from_data(join_runs(kept, qrels, missing=np.nan), qrels, remarks)


def read_runs(folder: Path) -> tuple[list[Run], Qrels]:
    """Read all runs of a folder, and the qrels."""
    qrels = read_qrels(find_one(folder, "qrels", RUNS))
    inside = folder / "runs" if (folder / "runs").is_dir() else folder
    files = [file for file in sorted(inside.iterdir()) if file.is_file() and not _NOT_RUNS.fullmatch(file.name)]
    if not files:
        raise InputError(f"{inside}: there are no runs; give --data {RUNS.name}=FOLDER, a folder with {RUNS.contents}")
    runs = [read_run(file) for file in files]
    names = ranking_names(files, [run.name for run in runs])
    return [replace(run, name=name) for run, name in zip(runs, names, strict=True)], qrels


def read_text_folder(folder: Path) -> BaseFunctions:
    """Read a text collection: 5 retrieval functions on each of 3 indexes, and the union of their top 1000 documents."""
    found = read_text_files(folder, TEXT)
    texts = ((document.docno, document.text) for document in found.documents)
    indexes = TextIndex.build_all(texts, ANALYSERS)
    return BaseFunctions.from_data(pool(indexes, found.queries, found.qrels, depth=1000), found.qrels)


RUNS = Source(
    "runs",
    "TREC runs, plain or gzip, in the folder or its subfolder runs, and a file qrels*; leave out manual runs",
    "TREC's web tracks of 2000 and 2001 in the paper; runs of any track with qrels can be used",
    read_run_folder,
)
TEXT = Source(
    "text",
    CONTENTS,
    "WT10g with TREC's topics 451 to 550 in the paper; Cranfield is free",
    read_text_folder,
)


def _without_short_runs(runs: list[Run], qrels: Qrels) -> tuple[list[Run], list[str]]:
    """Runs without short ones, and a remark on those left out."""
    judged = set(qrels.qid.tolist())
    queries = np.array([len(judged.intersection(run.qid.tolist())) for run in runs])
    documents = np.array([len(run) / len(set(run.qid.tolist())) for run in runs])
    short = (queries < _MIN_QUERIES * queries.max()) | (documents < _MIN_DOCUMENTS * np.median(documents))
    left_out = [
        f"{run.name} ({queries[i]} queries, {documents[i]:.0f} documents per query)"
        for i, run in enumerate(runs)
        if short[i]
    ]
    remarks = [f"Short runs, left out: {', '.join(left_out)}."] if left_out else []
    return [run for run, is_short in zip(runs, short, strict=True) if not is_short], remarks

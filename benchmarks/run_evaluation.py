"""``directrank evaluate`` of a run of a million lines, as a process, against trec_eval: CPU seconds and peak memory.

pytrec_eval takes about 1.2 times as long as trec_eval to read and evaluate the same files, so its time, without the start of
its process, stands in for trec_eval's.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from .timing import Result

QUERIES, DOCUMENTS, JUDGED, COLLECTION = 1_000, 1_000, 100, 500_000
PYTREC_EVAL_RATIO = 1.2
MEASURES = "map,ndcg_cut_10,P_10"

THEIRS = """
import sys, time
import pytrec_eval
start = time.process_time()
with open(sys.argv[1]) as qrels, open(sys.argv[2]) as run:
    judged, returned = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)
pytrec_eval.RelevanceEvaluator(judged, {"map", "ndcg_cut_10", "P_10"}).evaluate(returned)
print(time.process_time() - start)
"""


def run() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        qrels, ranking = str(Path(folder) / "qrels"), str(Path(folder) / "run")
        _write(qrels, ranking)
        command = [sys.executable, "-m", "directrank", "evaluate", "--qrels", qrels, ranking, "-m", MEASURES]
        _cpu_and_memory(command)  # warm-up
        ours, theirs = [], []
        for _ in range(5):
            ours.append(_cpu_and_memory(command))
            theirs.append(float(_output([sys.executable, "-c", THEIRS, qrels, ranking])))
    (seconds, memory), trec_eval = min(ours), min(theirs) / PYTREC_EVAL_RATIO
    ratio = trec_eval / seconds
    what = f"evaluate a run of {QUERIES * DOCUMENTS:,} lines, a process, {memory / 2**20:.0f} MiB, pytrec_eval / 1.2 (CPU)"
    return [Result(what, f"{seconds:.2f} s", f"{trec_eval:.2f} s", f"{ratio:.2f} x faster", "at least 1 x", ratio >= 1)]


def _cpu_and_memory(command: list[str]) -> tuple[float, int]:
    """CPU seconds and peak memory of a process."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, command
    return used.ru_utime + used.ru_stime, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _write(qrels: str, ranking: str) -> None:
    """Write a run with docnos as in TREC's newspaper collections; it has half of the judged documents."""
    random = np.random.default_rng(0)
    with open(ranking, "w") as run, open(qrels, "w") as judged:
        for query in range(QUERIES):
            returned = random.choice(COLLECTION, DOCUMENTS, replace=False)
            scores = np.sort(random.random(DOCUMENTS) * 30)[::-1]
            for rank, (document, score) in enumerate(zip(returned.tolist(), scores.tolist(), strict=True), 1):
                run.write(f"{301 + query} Q0 {_name(document)} {rank} {score:.6f} bm25\n")
            found, other = random.choice(returned, JUDGED // 2, replace=False), random.choice(COLLECTION, JUDGED // 2)
            for document in dict.fromkeys([*found.tolist(), *other.tolist()]):
                judged.write(f"{301 + query} 0 {_name(document)} {random.integers(0, 3)}\n")


def _name(document: int) -> str:
    return f"FT{900 + document % 50}-{document // 50 + 1}"

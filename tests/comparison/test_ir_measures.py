"""Against ir_measures: equal names have equal values."""

from __future__ import annotations

from pathlib import Path

import ir_measures
import numpy as np
import pytest

from directrank import Qrels, Run, evaluate_run, read_qrels, read_run
from directrank.measures import parse

NAMES = [
    "AP",
    "AP(rel=2)",
    "AP@10",
    "RR",
    "RR@5",
    "P@5",
    "P(rel=2)@10",
    "R@100",
    "Success@1",
    "Success@5",
    "Rprec",
    "nDCG@10",
    "Bpref",
    "Bpref(rel=2)",
    "infAP",
    "Judged@10",
    "IPrec@0.1",
    "SetP",
    "SetR",
    "SetF",
]


def compare(run: Run, qrels: Qrels, names: list[str]) -> None:
    judged = [
        ir_measures.Qrel(q, d, int(g))
        for q, d, g in zip(qrels.qid.tolist(), qrels.docno.tolist(), qrels.grade.tolist(), strict=True)
    ]
    scored = [
        ir_measures.ScoredDoc(q, d, s)
        for q, d, s in zip(run.qid.tolist(), run.docno.tolist(), run.score.tolist(), strict=True)
    ]
    theirs = {ir_measures.parse_measure(name): name for name in names}
    # Their nDCG has a linear gain.
    mine = {name: "nDCG(gain=linear)@10" if name == "nDCG@10" else parse(name).name for name in names}
    ours = evaluate_run(run, qrels, list(mine.values()), ties="trec")
    at = {str(qid): i for i, qid in enumerate(ours.qid.tolist())}
    compared = 0
    for metric in ir_measures.iter_calc(list(theirs), judged, scored):
        value = ours.per_query[mine[theirs[metric.measure]]][at[metric.query_id]]
        assert value == pytest.approx(metric.value, abs=1e-9), metric
        compared += 1
    assert compared >= len(names) * len(set(run.qid.tolist()) & set(qrels.qid.tolist()))


def test_robust03(real_data: Path) -> None:
    run = read_run(real_data / "robust03" / "runs" / "input.pircRBa1.gz")
    compare(run, read_qrels(real_data / "robust03" / "qrels.txt.gz"), NAMES)


def test_made_up() -> None:
    random = np.random.default_rng(0)
    pairs = [(str(q), f"d{d}") for q in range(20) for d in random.permutation(60)[:40]]
    half = len(pairs) // 2
    qrels = Qrels(*zip(*pairs[::2], strict=True), grade=random.integers(0, 3, half))
    compare(Run(*zip(*pairs, strict=True), score=random.permutation(len(pairs)) / 7), qrels, NAMES)


def test_grades_below_0() -> None:
    random = np.random.default_rng(1)
    pairs = [(str(q), f"d{d}") for q in range(20) for d in random.permutation(30)]
    qrels = Qrels(*zip(*pairs[::2], strict=True), grade=random.integers(-2, 3, len(pairs) // 2))
    compare(Run(*zip(*pairs, strict=True), score=random.permutation(len(pairs)) / 7), qrels, NAMES)

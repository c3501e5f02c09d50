"""Known statistics of public data sets, as our readers find them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from directrank import RankingData, Run, evaluate_run, read_letor, read_qrels, read_run
from directrank.data import describe, read_documents, read_queries


def parts(real_data: Path, name: str) -> list[RankingData]:
    return [read_letor(real_data / name / f"S{i}.txt.gz") for i in range(1, 6)]


@pytest.mark.parametrize(
    ("name", "queries", "documents", "features", "grades", "no_relevant"),
    [
        ("MQ2008", 784, 15211, 46, [12279, 2001, 931], 220),
        ("OHSUMED", 106, 16140, 45, [11303, 2585, 2252], 1),
    ],
)
def test_letor(
    real_data: Path, name: str, queries: int, documents: int, features: int, grades: list[int], no_relevant: int
) -> None:
    read = parts(real_data, name)
    whole = RankingData(
        np.concatenate([p.X for p in read]), np.concatenate([p.y for p in read]), np.concatenate([p.qid for p in read])
    )
    d = describe(whole)
    assert (d.n_queries, d.n_documents, d.n_features) == (queries, documents, features)
    assert list(d.grades.values()) == grades and d.queries_without_relevant == no_relevant
    assert all(part.docno is not None and all(part.docno.tolist()) for part in read)


def test_robust03(real_data: Path) -> None:
    qrels = read_qrels(real_data / "robust03" / "qrels.txt.gz")
    assert len(qrels) == 128_796
    maps: dict[str, float] = {}
    sizes: dict[str, int] = {}
    for path in (real_data / "robust03" / "runs").iterdir():
        run = read_run(path)
        maps[run.name] = round(evaluate_run(run, qrels, "AP", ties="trec")["AP"], 3)
        sizes[run.name] = len(run)
    assert len(maps) == 17
    assert min(maps.items(), key=lambda item: item[1]) == ("rutcor03100", 0.074)
    assert max(maps.items(), key=lambda item: item[1]) == ("pircRBa1", 0.310)
    assert {name for name, size in sizes.items() if size < 50_000} == {"NLPR03vb10", "humR03dc"}


def test_the_run_with_many_ties(real_data: Path) -> None:
    """Many of rutcor03100's scores are ties: MAP 0.058 in the file's order, 0.074 in trec_eval's, 0.065 in the mean."""
    qrels = read_qrels(real_data / "robust03" / "qrels.txt.gz")
    run = read_run(real_data / "robust03" / "runs" / "input.rutcor03100.gz")
    in_file_order = Run(run.qid, run.docno, -np.argsort(np.argsort(-run.score, kind="stable")).astype(float))
    assert round(evaluate_run(in_file_order, qrels, "AP")["AP"], 3) == 0.058
    assert round(evaluate_run(run, qrels, "AP")["AP"], 3) == 0.065


def test_the_texts_of_cranfield(real_data: Path) -> None:
    documents = list(read_documents(real_data / "cranfield" / "cran.all.1400.gz"))
    assert [document.docno for document in documents] == [str(i) for i in range(1, 1401)]
    assert [document.docno for document in documents if not document.text] == ["471", "995"]
    assert documents[0].fields["title"] == "experimental investigation of the aerodynamics of a wing in a slipstream ."
    queries = read_queries(real_data / "cranfield" / "cran.qry", in_order=True)
    assert list(queries) == [str(i) for i in range(1, 226)] and queries["3"].startswith("what problems of heat conduction")


def test_cranfield(real_data: Path) -> None:
    qrels = read_qrels(real_data / "cranfield" / "cranqrel.trec.txt")
    assert len(qrels) == 1837 and {int(q) for q in qrels.qid.tolist()} <= set(range(1, 226))

"""What every installed wheel must do: ``python -I smoke.py``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from directrank import LambdaMART, Qrels, SVMRanker, evaluate, load_model, save_model
from directrank.core import _compiled
from directrank.data import read_letor, read_parquet, write_letor, write_parquet
from directrank.datasets import make_ranking
from directrank.retrieval import TextIndex, pool


def main() -> None:
    evaluates()
    with tempfile.TemporaryDirectory() as folder:
        learns_and_saves(Path(folder))
        writes_and_reads(Path(folder))
    indexes_text()
    print(f"Python {sys.version.split()[0]}, {Path(_compiled.__file__).name}: works")


def evaluates() -> None:
    assert abs(evaluate([0, 1, 1, 0], [0.1, 0.2, 0.4, 0.5], measures="AP").means["AP"] - (1 / 2 + 2 / 3) / 2) < 1e-15


def learns_and_saves(folder: Path) -> None:
    data = make_ranking(40, random_state=0)
    for ranker in (SVMRanker("AP", C=1), LambdaMART("AP", n_estimators=20)):
        scores = ranker.fit(data.X, data.y, data.qid).predict(data.X)
        learned = evaluate(data.y, scores, data.qid, "AP").means["AP"]
        assert learned > max(evaluate(data.y, column, data.qid, "AP").means["AP"] for column in data.X.T)
        save_model(folder / "model.json", ranker)
        assert (load_model(folder / "model.json").predict(data.X) == scores).all()


def writes_and_reads(folder: Path) -> None:
    data = make_ranking(5, random_state=0)
    for write, read in ((write_letor, read_letor), (write_parquet, read_parquet)):
        write(folder / "data", data)
        again = read(folder / "data")
        assert (again.X == data.X).all() and (again.y == data.y).all() and (again.qid == data.qid).all()


def indexes_text() -> None:
    documents = {"a": "The cat sat on the mat.", "b": "Cats and dogs.", "c": "A dog sat."}
    indices = TextIndex.build_all(documents.items())
    assert len(pool(indices, {"q": "cats on mats"}, Qrels(["q"], ["a"], [1]))) == 2


if __name__ == "__main__":
    main()

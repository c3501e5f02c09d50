"""A generated .Gov folder."""

from __future__ import annotations

import numpy as np
import pytest

from directrank.data import InputError, read_run
from directrank.papers.adarank import EXPERIMENTS
from directrank.papers.adarank.gov_folder import read_gov
from directrank.retrieval import BM25

FIGURE = next(each for each in EXPERIMENTS if each.name == "adarank/figure5")


def test_the_documents_of_the_run_are_ranked_by_the_features_of_table_4(gov_folder, rows):
    collection = read_gov(gov_folder)
    run = read_run(gov_folder / "msra1000.run")
    data = collection.features(BM25())
    assert len(data) == len(collection.data) == sum(qid != "q9" for qid in run.qid.tolist())
    assert len(data.feature_names) == 12 and data.X.shape == (len(data), 12)
    assert data.feature_names[:4] == ["bm25", "msra1000", "pagerank", "host-level pagerank"]
    assert data.X.min() == 0 and data.X.max() == 1
    mine = data.qid == "q3"
    given = {docno: score for q, docno, score in zip(run.qid, run.docno, run.score, strict=True) if q == "q3"}
    order = np.argsort([given[docno] for docno in data.docno[mine].tolist()])
    assert np.all(np.diff(data.X[mine, 1][order]) > 0)
    outcome = FIGURE.run(collection, rows, True)
    assert set(outcome.figures) == {"BM25", "Ranking SVM", "RankBoost", "AdaRank.MAP", "AdaRank.NDCG"}


def test_folder_without_the_run_is_an_error(gov_folder):
    (gov_folder / "msra1000.run").unlink()
    with pytest.raises(
        InputError, match=r"no file in this folder is named msra1000\*; give --data gov=FOLDER, a folder with documents"
    ):
        read_gov(gov_folder)

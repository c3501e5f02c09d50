"""The curves of rankings, against trec_eval."""

from __future__ import annotations

import numpy as np
import pytest
import pytrec_eval

from directrank import evaluate
from directrank.evaluation.curves import RANKS, RECALLS, interpolated_precision, ndcg_at
from directrank.measures import nDCG


def made(n_queries: int, n_relevant: int, seed: int) -> tuple[dict, dict]:
    """Qrels and a run without ties, which returns only some of the relevant documents."""
    rng = np.random.default_rng(seed)
    qrels, run = {}, {}
    for q in map(str, range(n_queries)):
        grades = np.concatenate((rng.integers(1, 4, n_relevant), np.zeros(60, int)))
        scores = rng.permutation(grades.size) + 20.3 * grades
        qrels[q] = {f"d{i}": int(grade) for i, grade in enumerate(grades)}
        run[q] = {f"d{i}": float(scores[i]) for i in range(grades.size) if rng.random() < 0.8}
    return qrels, run


@pytest.mark.parametrize("n_relevant", [1, 2, 5, 10, 17, 40])
def test_curves(n_relevant: int) -> None:
    # Not 3 or 23 relevant documents: there trec_eval computes 0.7 * 23 + 0.9 as below 17, and asks for one document less.
    assert all(int(level * n_relevant + 0.9) == -(-i * n_relevant // 10) for i, level in enumerate(RECALLS))
    qrels, run = made(30, n_relevant, seed=n_relevant)
    cuts = ",".join(map(str, RANKS))
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"iprec_at_recall", f"ndcg_cut.{cuts}"}).evaluate(run)
    rows = [(q, run[q].get(d, -np.inf), grade) for q, docs in qrels.items() for d, grade in docs.items()]
    qid, scores, grades = zip(*rows, strict=True)
    evaluation = evaluate(grades, scores, qid)
    ranking = evaluation.require_ranking()
    precision = [np.mean([values[f"iprec_at_recall_{recall:.2f}"] for values in theirs.values()]) for recall in RECALLS]
    ndcg = [np.mean([values[f"ndcg_cut_{k}"] for values in theirs.values()]) for k in RANKS]
    np.testing.assert_allclose(interpolated_precision(evaluation), precision, rtol=0, atol=1e-9)
    np.testing.assert_allclose(ndcg_at(ranking, RANKS, nDCG(gain="linear")), ndcg, rtol=0, atol=1e-9)

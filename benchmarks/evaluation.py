"""Evaluation of AP, nDCG@10 and RR, against ranx and pytrec_eval."""

from __future__ import annotations

import numpy as np
import pytrec_eval
import ranx

from directrank import evaluate, get_num_threads

from .timing import Result, best_of, faster

QUERIES, DOCUMENTS = 10_000, 100


def run() -> list[Result]:
    random = np.random.default_rng(0)
    grades = random.integers(0, 3, (QUERIES, DOCUMENTS))
    scores = random.random((QUERIES, DOCUMENTS))
    qid = np.repeat(np.arange(QUERIES), DOCUMENTS)
    judged, scored = _as_dictionaries(grades), _as_dictionaries(scores)
    names = ["AP", "nDCG(gain=linear)@10", "RR"]

    ours = evaluate(grades.ravel(), scores.ravel(), qid, names)
    our_time = best_of(10, lambda: evaluate(grades.ravel(), scores.ravel(), qid, names))

    qrels, ranking = ranx.Qrels(judged), ranx.Run(scored)
    threads = get_num_threads()
    theirs = ranx.evaluate(qrels, ranking, ["map", "ndcg@10", "mrr"], threads=threads)
    assert np.allclose(list(theirs.values()), list(ours.means.values())), (theirs, ours.means)
    ranx_time = best_of(3, lambda: ranx.evaluate(qrels, ranking, ["map", "ndcg@10", "mrr"], threads=threads))

    trec_names = {"map", "ndcg_cut.10", "recip_rank"}
    trec_time = best_of(3, lambda: pytrec_eval.RelevanceEvaluator(judged, trec_names).evaluate(scored))
    what = f"evaluate {QUERIES:,} queries x {DOCUMENTS}, 3 measures"
    return [faster(f"{what}, ranx", our_time, ranx_time, 5), faster(f"{what}, pytrec_eval", our_time, trec_time, 50)]


def _as_dictionaries(table: np.ndarray) -> dict[str, dict[str, float]]:
    names = [f"d{j}" for j in range(table.shape[1])]
    return {f"q{i}": dict(zip(names, row, strict=True)) for i, row in enumerate(table.tolist())}

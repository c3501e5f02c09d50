"""
Run fusion
==========

Three runs over the same documents, by title, body and anchor text, are fused into one: by formulas without training, and
by learning the weights of their scores.
"""

import numpy as np

from directrank import Qrels, Run, SVMRanker, compare_all, evaluate_run, join_runs
from directrank.data import QueryKFold
from directrank.datasets import make_ranking
from directrank.evaluation import plots
from directrank.fusion import comb_mnz, reciprocal_rank_fusion

# %%
# A run has the documents that a search engine returned for each query, with their scores. These are made from generated
# data; each returns its top twenty documents.

data = make_ranking(80, (30, 60), random_state=3)
docno = np.array([f"d{row}" for row in range(len(data))])
queries = data.qid.astype(str)


def make_run(feature: int, name: str) -> Run:
    by_score = np.argsort(-data.X[:, feature])
    best = np.concatenate([by_score[data.qid[by_score] == query][:20] for query in np.unique(data.qid)])
    return Run(queries[best], docno[best], data.X[best, feature], name)


qrels = Qrels(queries, docno, data.y)
runs = [make_run(feature, name) for feature, name in enumerate(["title", "body", "anchors"])]

# %%
# ``join_runs`` makes each run a feature. A document that a run did not return has a missing value.

together = join_runs(runs, qrels, missing=np.nan)
fused = {"CombMNZ": comb_mnz(together), "reciprocal ranks": reciprocal_rank_fusion(together)}

# %%
# Learned fusion: every query is ranked by a model that was trained on other queries.

filled = join_runs(runs, qrels)  # missing values are filled with the lowest score of the run for the query
scores = np.zeros(len(filled))
for rows, held_out in QueryKFold(4).split(filled.X, qid=filled.qid):
    model = SVMRanker("AP", C=1).fit(filled.X[rows], filled.y[rows], filled.qid[rows])
    scores[held_out] = model.predict(filled.X[held_out])
fused["SVM-map"] = scores

# %%
# Evaluation of all runs.

made = {name: Run(together.qid, together.docno, values, name) for name, values in fused.items()}
results = {run.name: evaluate_run(run, qrels, ["AP", "R@20"]) for run in [*runs, *made.values()]}
report = compare_all(results, baseline="title")
report

# %%

plots.means(report, "AP")

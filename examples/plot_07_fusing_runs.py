"""
Fusing runs
===========

Three rankings of the same documents, by text that was treated in three ways, become one: without learning, and by
learning how much each score is worth.
"""

import numpy as np

from directrank import Qrels, Run, SVMRanker, compare_all, evaluate_run, join_runs
from directrank.data import QueryKFold
from directrank.datasets import make_ranking
from directrank.evaluation import plots
from directrank.fusion import comb_mnz, reciprocal_rank_fusion

# %%
# Runs are what search engines return: for each query, documents and scores. Here they are made from generated data;
# each returns only its best twenty documents.

data = make_ranking(80, (30, 60), random_state=3)
docno = np.array([f"d{row}" for row in range(len(data))])
queries = data.qid.astype(str)


def run_of(feature, name):
    by_score = np.argsort(-data.X[:, feature])
    best = np.concatenate([by_score[data.qid[by_score] == query][:20] for query in np.unique(data.qid)])
    return Run(queries[best], docno[best], data.X[best, feature], name)


qrels = Qrels(queries, docno, data.y)
runs = [run_of(feature, name) for feature, name in enumerate(["title", "body", "anchors"])]

# %%
# ``join_runs`` lays them side by side, a feature for each run. A document that a run did not return has no score
# there.

together = join_runs(runs, qrels, missing=np.nan)
fused = {"CombMNZ": comb_mnz(together), "reciprocal ranks": reciprocal_rank_fusion(together)}

# %%
# To learn, every query is ranked by a model that was trained on others.

filled = join_runs(runs, qrels)  # the lowest score of the run, where there is none
scores = np.zeros(len(filled))
for rows, held_out in QueryKFold(4).split(filled.X, qid=filled.qid):
    model = SVMRanker("AP", C=1).fit(filled.X[rows], filled.y[rows], filled.qid[rows])
    scores[held_out] = model.predict(filled.X[held_out])
fused["SVM-map"] = scores

# %%
# All of them, judged like any run.

made = {name: Run(together.qid, together.docno, values, name) for name, values in fused.items()}
results = {run.name: evaluate_run(run, qrels, ["AP", "R@20"]) for run in [*runs, *made.values()]}
report = compare_all(results, baseline="title")
report

# %%

plots.means(report, "AP")

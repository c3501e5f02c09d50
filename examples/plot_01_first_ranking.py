"""
A first ranking
===============

Train a ranker for average precision, and evaluate it on held-out queries.
"""

# sphinx_gallery_thumbnail_number = 2

from directrank import SVMRanker, compare_all, evaluate
from directrank.data import train_validation_test
from directrank.datasets import make_ranking
from directrank.evaluation import plots

# %%
# Ranking data has a row of features for each document, with its grade and its query. A split never divides a query.

data = make_ranking(200, random_state=0)
train, validation, test = train_validation_test(data, random_state=0)
data

# %%
# The learner optimises the given measure, and selects C by that measure on the validation queries.

svm = SVMRanker("AP").fit(train.X, train.y, train.qid, eval_set=(validation.X, validation.y, validation.qid))
svm.score(test.X, test.y, test.qid)  # mean AP over the test queries

# %%
# Is it better than the best single feature? The report has confidence intervals and a significance test.

best = max(range(train.X.shape[1]), key=lambda i: evaluate(train.y, train.X[:, i], train.qid, "AP")["AP"])
rankings = {"svm": svm.predict(test.X), f"feature {best + 1} alone": test.X[:, best]}
results = {name: evaluate(test.y, scores, test.qid, ["AP", "nDCG@10"]) for name, scores in rankings.items()}
report = compare_all(results)
report

# %%
# Each dot is the mean of a ranking, with its 95 % confidence interval.

plots.means(report, "AP")

# %%
# Weights of the features.

plots.weights(svm)

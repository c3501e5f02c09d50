"""
Grid search with scikit-learn
=============================

The learners are scikit-learn estimators. ``routing()`` passes the query ids on to splits, fits and scores, and
``QueryKFold`` never divides a query. ``ranking_scorer`` makes a scorer from any measure.
"""

import altair as alt
from sklearn.model_selection import GridSearchCV

from directrank import LambdaMART, ranking_scorer, routing
from directrank.data import QueryKFold
from directrank.datasets import make_ranking

data = make_ranking(60, (10, 60), random_state=0)
grid = {"num_leaves": [4, 8, 16, 32], "learning_rate": [0.05, 0.2]}

with routing():
    learner = LambdaMART("nDCG@10", n_estimators=40, random_state=0)
    search = GridSearchCV(learner, grid, scoring=ranking_scorer("nDCG@10"), cv=QueryKFold(3))
    search.fit(data.X, data.y, qid=data.qid)

print(search.best_params_, f"nDCG@10 {search.best_score_:.4f}")

# %%
# Settings differ less than folds do: the bars are the standard deviations over the folds.

found = search.cv_results_
rows = [
    {"leaves": setting["num_leaves"], "rate": setting["learning_rate"], "mean": mean, "low": mean - sd, "high": mean + sd}
    for setting, mean, sd in zip(found["params"], found["mean_test_score"], found["std_test_score"], strict=True)
]
chart = alt.Chart(alt.Data(values=rows), description="nDCG@10 by number of leaves and learning rate").encode(
    x=alt.X("leaves:O"), xOffset="rate:N", color=alt.Color("rate:N", title="learning rate")
)
bars = chart.mark_rule().encode(y=alt.Y("low:Q", title="nDCG@10", scale=alt.Scale(zero=False)), y2="high:Q")
(bars + chart.mark_point(filled=True, size=70).encode(y="mean:Q")).properties(width=420, height=260)

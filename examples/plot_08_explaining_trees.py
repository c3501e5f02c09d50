"""
What do the trees look at?
==========================

Two answers: how much each feature's splits gained in training, and by how much each feature moves the score of one
document.
"""

import altair as alt
import numpy as np
import pandas as pd

from directrank import LambdaMART
from directrank.datasets import make_ranking
from directrank.evaluation import plots

data = make_ranking(100, random_state=0)
X = pd.DataFrame(data.X, columns=data.feature_names)  # the names of the columns are those of the features
trees = LambdaMART("nDCG@10", n_estimators=60, learning_rate=0.1, random_state=0).fit(X, data.y, data.qid)

# %%
# Gains, for the whole model.

plots.weights(trees)

# %%
# For one document: SHAP values, which LightGBM computes for its own trees. They add up to the score.

query = X[data.qid == data.qid[0]]
scores = trees.predict(query)
best = query.iloc[[np.argmax(scores)]]
*contributions, base = trees.booster_.predict(best, pred_contrib=True)[0]
assert np.isclose(sum(contributions) + base, scores.max())

# %%
# What lifts the first document of a query, and what holds it back.

rows = [
    {"feature": name, "contribution": float(value)}
    for name, value in zip(X.columns, contributions, strict=True)
    if abs(value) > 1e-3
]
alt.Chart(alt.Data(values=rows), description="SHAP values of one document").mark_bar().encode(
    x=alt.X("contribution:Q", title="added to the score"),
    y=alt.Y("feature:N", sort="-x", title=None),
    color=alt.condition("datum.contribution > 0", alt.value("#4269d0"), alt.value("#ff725c")),
).properties(width=420)

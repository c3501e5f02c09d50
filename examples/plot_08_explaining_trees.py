"""
Feature importances and SHAP values
===================================

The gain of each feature over the whole model, and the contribution of each feature to the score of one document.
"""

import altair as alt
import numpy as np
import pandas as pd

from directrank import LambdaMART
from directrank.datasets import make_ranking
from directrank.evaluation import plots

data = make_ranking(100, random_state=0)
X = pd.DataFrame(data.X, columns=data.feature_names)  # column names become feature names
trees = LambdaMART("nDCG@10", init=None, n_estimators=60, learning_rate=0.1, random_state=0).fit(X, data.y, data.qid)

# %%
# Gain of each feature.

plots.weights(trees)

# %%
# SHAP values of one document, computed by LightGBM. They add up to the score; a linear start, which `init=None` leaves out,
# would not be in them.

query = X[data.qid == data.qid[0]]
scores = trees.predict(query)
best = query.iloc[[np.argmax(scores)]]
*contributions, base = trees.booster_.predict(best, pred_contrib=True)[0]
assert np.isclose(sum(contributions) + base, scores.max())

# %%
# Contributions to the score of the top document of a query.

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

"""
Exporting a model and verifying it
==================================

Models can be exported to SQL, ONNX, the formats of search engines and others. This example exports to a Python module and
an SQL view, and compares their scores with the model's.
"""

import sqlite3

import altair as alt
import numpy as np
import pandas as pd

from directrank import LambdaMART
from directrank.datasets import make_ranking
from directrank.models.export import to_python, to_sql

data = make_ranking(40, random_state=0)
X = pd.DataFrame(data.X, columns=data.feature_names)
trees = LambdaMART("nDCG@10", n_estimators=25, random_state=0).fit(X, data.y, data.qid)
ours = trees.predict(X)

# %%
# A Python module without dependencies.

module = {}
exec(to_python(trees).text, module)
theirs = np.array([module["score"](row) for row in X.to_dict("records")])
print(f"largest difference of scores: {np.abs(theirs - ours).max():.1e}")

# %%
# A view in SQLite.

view = to_sql(trees, name="ranked", store="features")
print(view.text[:280], "...")
database = sqlite3.connect(":memory:")
X.to_sql("features", database, index_label="row")
database.executescript(view.text)
in_sql = pd.read_sql("SELECT score FROM ranked ORDER BY row", database)["score"]

# %%
# All documents are on the diagonal.

points = [{"directrank": float(a), "SQLite": float(b)} for a, b in zip(ours[:400], in_sql[:400], strict=True)]
alt.Chart(alt.Data(values=points), description="Scores in SQLite by scores of the model").mark_circle(opacity=0.5).encode(
    x="directrank:Q", y="SQLite:Q"
).properties(width=320, height=320)

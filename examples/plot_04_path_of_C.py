"""
Regularisation path of an SVM
=============================

C is the weight of the training loss relative to the norm of w. ``path`` computes the models for many values of C at little
more than the cost of one, because they share their cutting planes.
"""

import altair as alt
import numpy as np

from directrank import SVMRanker, evaluate
from directrank.data import train_validation_test
from directrank.datasets import make_ranking

data = make_ranking(90, noise=2.0, random_state=0)
train, validation, _ = train_validation_test(data, random_state=0)

Cs = np.logspace(-3, 4, 15)
path = SVMRanker("AP", bound="convex").path(train.X, train.y, train.qid, Cs)

# %%
# Mean AP of each model, on the training and the validation queries.

rows = [
    {"C": float(C), "AP": evaluate(part.y, part.X @ coef, part.qid, "AP")["AP"], "queries": name}
    for C, coef in zip(path.Cs, path.coefs, strict=True)
    for name, part in {"training": train, "validation": validation}.items()
]
best = max((row for row in rows if row["queries"] == "validation"), key=lambda row: row["AP"])
print(f"the best C is {best['C']:.3g}, with AP {best['AP']:.4f} on the validation queries")

# %%
# A small C underfits, a large one overfits. With ``C="auto"``, the default, ``fit`` selects C automatically.

alt.Chart(alt.Data(values=rows), description="AP by C, on training and validation queries").mark_line(point=True).encode(
    x=alt.X("C:Q", scale=alt.Scale(type="log")),
    y=alt.Y("AP:Q", scale=alt.Scale(zero=False)),
    color=alt.Color("queries:N", title=None),
).properties(width=480, height=260)

"""
A measure of one's own
======================

A shop shows four products and then a fold. What counts is the share of the four that were bought, twice as much above
the fold's middle. Nobody has a name for that: write it, and learn it.
"""

import numpy as np

from directrank import CoordinateAscent, Measure, compare_all, evaluate
from directrank.data import train_validation_test
from directrank.datasets import make_ranking
from directrank.evaluation import plots


class AboveTheFold(Measure):
    """The weighted share of relevant documents among the first four: the first two count twice."""

    rel: float = 1

    def evaluate(self, scores, grades, offsets):
        weights = np.array([2, 2, 1, 1]) / 6
        values = np.zeros(offsets.size - 1)
        for query, (start, end) in enumerate(zip(offsets[:-1], offsets[1:], strict=True)):
            relevant = grades[start:end][:4] >= self.rel  # documents come by descending score
            values[query] = weights[: relevant.size] @ relevant
        return values


# %%
# It is now a measure like others: it has a name, and parameters that the name can carry.

data = make_ranking(150, (10, 40), random_state=0)
train, validation, test = train_validation_test(data, random_state=0)
evaluate(test.y, test.X[:, 0], test.qid, ["AboveTheFold", "AboveTheFold(rel=2)", "P@4"]).means

# %%
# Coordinate ascent, AdaRank and LambdaMART learn any measure that can be evaluated. What was learned, beside the
# first feature:

learner = CoordinateAscent("AboveTheFold", n_restarts=1, random_state=0)
learner.fit(train.X, train.y, train.qid, eval_set=(validation.X, validation.y, validation.qid))
rankings = {"learned": learner.predict(test.X), "first feature": test.X[:, 0]}
results = {name: evaluate(test.y, scores, test.qid, ["AboveTheFold", "AP"]) for name, scores in rankings.items()}
report = compare_all(results)
report

# %%
# Each dot is a query; above the line what was learned is better.

plots.scatter(report, "AboveTheFold", "learned", "first feature")

"""
A custom measure
================

A shop shows four products above the fold, in two rows. The measure is the share of relevant products among the four, with
the first row counting twice. It is defined in a few lines, checked against its definition, and can then be optimised.
"""

import numpy as np

from directrank import CoordinateAscent, Measure, compare_all, evaluate
from directrank.arrays import Floats, Ints
from directrank.data import train_validation_test
from directrank.datasets import make_ranking
from directrank.evaluation import plots
from directrank.measures import TieRule
from directrank.measures.parts import mean_gains_of_ties
from directrank.measures.testing import check_evaluate


class AboveTheFold(Measure):
    """The weighted share of relevant documents among the first four: the first two count twice."""

    rel: float = 1

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        weights = np.array([2, 2, 1, 1]) / 6
        gains = mean_gains_of_ties(self.relevant(grades), scores, offsets)
        values = np.zeros(offsets.size - 1)
        for query, (start, end) in enumerate(zip(offsets[:-1], offsets[1:], strict=True)):
            shown = gains[start:end][:4]  # documents are sorted by descending score
            values[query] = weights[: shown.size] @ shown
        return values

    @property
    def tie_rule(self) -> TieRule:
        return "average"  # as mean_gains_of_ties has it


# %%
# `check_evaluate` compares it with the definition of one ranking, in slow and obvious code, over all orders of documents of
# equal score; it fails if the two differ.


def definition(ranked: list[float], unranked: list[float]) -> float:
    return sum(weight for weight, grade in zip([2, 2, 1, 1], ranked, strict=False) if grade >= 1) / 6


check_evaluate(AboveTheFold(), definition)

# %%
# It can be used like a built-in measure, by name and with parameters.

data = make_ranking(150, (10, 40), random_state=0)
train, validation, test = train_validation_test(data, random_state=0)
evaluate(test.y, test.X[:, 0], test.qid, ["AboveTheFold", "AboveTheFold(rel=2)", "P@4"]).means

# %%
# Coordinate ascent, AdaRank and LambdaMART optimise any measure that can be evaluated. Comparison with the first feature:

learner = CoordinateAscent("AboveTheFold", n_restarts=1, random_state=0)
learner.fit(train.X, train.y, train.qid, eval_set=(validation.X, validation.y, validation.qid))
rankings = {"learned": learner.predict(test.X), "first feature": test.X[:, 0]}
results = {name: evaluate(test.y, scores, test.qid, ["AboveTheFold", "AP"]) for name, scores in rankings.items()}
report = compare_all(results)
report

# %%
# Each dot is a query; above the line the learned ranking is better.

plots.scatter(report, "AboveTheFold", "learned", "first feature")

"""
LambdaMART with early stopping
==============================

Boosted trees for nDCG@10. An ``eval_set`` selects the number of rounds, as the training curves show.
"""

from directrank import LambdaMART
from directrank.data import train_validation_test
from directrank.datasets import make_ranking
from directrank.evaluation import plots

train, validation, test = train_validation_test(make_ranking(200, random_state=0), random_state=0)

# %%
# Training stops when the measure on the validation queries has not risen for 30 rounds.

trees = LambdaMART("nDCG@10", early_stopping_rounds=30, learning_rate=0.1, random_state=0)
trees.fit(train.X, train.y, train.qid, eval_set=(validation.X, validation.y, validation.qid))
print(f"{trees.best_iteration_} of {len(trees.history_)} rounds are kept, with nDCG@10 {trees.best_score_:.3f}")

# %%
# The measure on the training queries keeps rising after the measure on the validation queries has peaked: from there
# on the model overfits.

plots.training(trees)

# %%
# The model has the trees up to the best round only, and predicts with these.

print(f"nDCG@10 on the test queries: {trees.score(test.X, test.y, test.qid):.4f}")

# %%
# A weighted sum of measures: mostly the top of the ranking, but not only.

mixed = LambdaMART("0.7*nDCG@10 + 0.3*AUC", n_estimators=60, learning_rate=0.1, random_state=0)
print(f"{mixed.fit(train.X, train.y, train.qid).score(test.X, test.y, test.qid):.4f}")

"""
Comparing learners with significance tests
==========================================

Four learners on the same queries: all pairwise comparisons, with p-values corrected for multiple comparisons.
"""

# sphinx_gallery_thumbnail_number = 2

from directrank import AdaRank, LambdaMART, RankSVM, SVMRanker, compare_all, evaluate
from directrank.data import train_validation_test
from directrank.datasets import make_ranking
from directrank.evaluation import plots

train, validation, test = train_validation_test(make_ranking(400, random_state=1), random_state=0)
held_out = (validation.X, validation.y, validation.qid)

learners = {
    "RankSVM": RankSVM(),
    "SVM-map": SVMRanker("AP"),
    "AdaRank": AdaRank("AP"),
    "LambdaMART": LambdaMART("AP", init=RankSVM(), early_stopping_rounds=30, random_state=0),
}
results = {}
for name, learner in learners.items():
    learner.fit(train.X, train.y, train.qid, eval_set=held_out)
    results[name] = evaluate(test.y, learner.predict(test.X), test.qid, ["AP", "nDCG@10"])

# %%
# The best mean is in bold; letters next to a mean refer to the rankings that it is significantly better than.

report = compare_all(results)
report

# %%
# Means with their 95 % confidence intervals.

plots.means(report, "AP")

# %%
# A mean can hide that a ranking is better for some queries and worse for others. Each bar is a query.

plots.differences(report, "AP", "LambdaMART", "RankSVM")

# %%
# One comparison in detail.

one = report.comparison("AP", "LambdaMART", "RankSVM")
print(f"{one.wins} queries won, {one.losses} lost; difference {one.difference:+.4f}, effect size {one.effect_size:.2f}")

"""Learning from simulated clicks, beside learning from the grades, LightGBM and XGBoost.

See `__main__` for the command.
"""

#: Measure of the test queries, by their true grades.
REPORTED = "nDCG@10"

#: Measure to train for: a sum over documents, of which gains from clicks give unbiased estimates.
OBJECTIVE = "DCG(gain=linear)@10"

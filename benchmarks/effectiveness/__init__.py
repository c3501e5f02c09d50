"""Effectiveness of every learner by every measure, beside LightGBM, XGBoost and CatBoost.

See `__main__` for the command.
"""

#: Measures to train for, and to report.
MEASURES = ["AP", "nDCG@10", "AUC", "RR", "P@10"]

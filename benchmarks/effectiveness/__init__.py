"""How well every learner ranks, by every measure, beside LightGBM, XGBoost and CatBoost.

See `__main__` for the command.
"""

#: What is trained for, and what is measured.
MEASURES = ["AP", "nDCG@10", "AUC", "RR", "P@10"]

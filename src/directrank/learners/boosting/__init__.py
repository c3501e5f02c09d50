"""Boosting of single features and of thresholds on them."""

"""Estimation of position bias: interventions, the position-based model, regression-EM, trust bias, bootstrap intervals."""

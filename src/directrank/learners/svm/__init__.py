"""Structural SVMs: the cutting-plane method, and the learners on it."""

"""Xu & Li (2007): AdaRank against BM25, Ranking SVM and RankBoost."""

from . import accuracies, document_pairs, learning_curves

EXPERIMENTS = [*accuracies.EXPERIMENTS, *document_pairs.EXPERIMENTS, *learning_curves.EXPERIMENTS]

__all__ = ["EXPERIMENTS"]

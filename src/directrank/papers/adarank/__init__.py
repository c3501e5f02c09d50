"""Xu & Li (2007): AdaRank against BM25, Ranking SVM and RankBoost."""

from . import accuracies, document_pairs, training

EXPERIMENTS = [*accuracies.EXPERIMENTS, *document_pairs.EXPERIMENTS, *training.EXPERIMENTS]

__all__ = ["EXPERIMENTS"]

"""How a measure is optimised."""

from .base import Ranker, routing
from .multivariate_svc import MultivariateSVC
from .ranksvm import RankSVM
from .structural_svm import Path, SVMRanker

__all__ = ["MultivariateSVC", "Path", "RankSVM", "Ranker", "SVMRanker", "routing"]

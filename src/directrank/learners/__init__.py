"""How a measure is optimised."""

from .base import Ranker, routing
from .boosting.adarank import AdaRank
from .boosting.rankboost import RankBoost
from .coordinate_ascent import CoordinateAscent
from .lambdamart.learner import LambdaMART
from .svm.multivariate import MultivariateSVC
from .svm.one_vs_rest import OneVsRestSVM
from .svm.ranker import Path, SVMRanker
from .svm.ranksvm import RankSVM

__all__ = [
    "AdaRank",
    "CoordinateAscent",
    "LambdaMART",
    "MultivariateSVC",
    "OneVsRestSVM",
    "Path",
    "RankBoost",
    "RankSVM",
    "Ranker",
    "SVMRanker",
    "routing",
]

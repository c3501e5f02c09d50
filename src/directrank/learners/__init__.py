"""How a measure is optimised."""

from .adarank import AdaRank
from .base import Ranker, routing
from .coordinate_ascent import CoordinateAscent
from .lambdamart import LambdaMART
from .multivariate_svc import MultivariateSVC
from .one_vs_rest_svm import OneVsRestSVM
from .rankboost import RankBoost
from .ranksvm import RankSVM
from .structural_svm import Path, SVMRanker

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

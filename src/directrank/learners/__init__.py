"""How a measure is optimised."""

from typing import TYPE_CHECKING, Any

from .registry import LEARNERS

if TYPE_CHECKING:
    from .base import Ranker, routing
    from .boosting.adarank import AdaRank
    from .boosting.rankboost import RankBoost
    from .coordinate_ascent import CoordinateAscent
    from .ensemble_selection import EnsembleSelection
    from .lambdamart.learner import LambdaMART
    from .scorer import ranking_scorer
    from .smooth_rank import SmoothRank
    from .svm.multivariate import MultivariateSVC
    from .svm.one_vs_rest import OneVsRestSVM
    from .svm.ranker import SVMRanker
    from .svm.ranksvm import RankSVM
    from .svm.solution import Path

# Learners need scikit-learn, whose import takes longer than all else: each is imported when it is first asked for.
_MODULES = {"Path": "svm.solution", "Ranker": "base", "ranking_scorer": "scorer", "routing": "base"}
_MODULES |= {entry.class_name: entry.module for entry in LEARNERS.values()}

__all__ = [
    "LEARNERS",
    "AdaRank",
    "CoordinateAscent",
    "EnsembleSelection",
    "LambdaMART",
    "MultivariateSVC",
    "OneVsRestSVM",
    "Path",
    "RankBoost",
    "RankSVM",
    "Ranker",
    "SVMRanker",
    "SmoothRank",
    "ranking_scorer",
    "routing",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

"""directrank: learning to rank by optimising, directly, the measure its user is judged by."""

from typing import TYPE_CHECKING, Any

from .data import (
    InputError,
    Qrels,
    RankingData,
    Run,
    join_runs,
    read_letor,
    read_parquet,
    read_qrels,
    read_run,
    write_letor,
    write_parquet,
    write_qrels,
    write_run,
)
from .evaluation import Comparison, Evaluation, compare, evaluate, evaluate_run
from .measures import Measure, MeasureError

if TYPE_CHECKING:
    from .learners import (
        AdaRank,
        CoordinateAscent,
        LambdaMART,
        MultivariateSVC,
        OneVsRestSVM,
        RankBoost,
        RankSVM,
        SVMRanker,
        routing,
    )

# Learners need scikit-learn, whose import takes longer than all else: it must not delay the first evaluation.
_LEARNERS = (
    "AdaRank",
    "CoordinateAscent",
    "LambdaMART",
    "MultivariateSVC",
    "OneVsRestSVM",
    "RankBoost",
    "RankSVM",
    "SVMRanker",
    "routing",
)

__version__ = "0.1.0"

__all__ = [
    "AdaRank",
    "Comparison",
    "CoordinateAscent",
    "Evaluation",
    "InputError",
    "LambdaMART",
    "Measure",
    "MeasureError",
    "MultivariateSVC",
    "OneVsRestSVM",
    "Qrels",
    "RankBoost",
    "RankSVM",
    "RankingData",
    "Run",
    "SVMRanker",
    "compare",
    "evaluate",
    "evaluate_run",
    "join_runs",
    "read_letor",
    "read_parquet",
    "read_qrels",
    "read_run",
    "routing",
    "write_letor",
    "write_parquet",
    "write_qrels",
    "write_run",
]


def __getattr__(name: str) -> Any:
    if name not in _LEARNERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import learners

    return getattr(learners, name)

"""directrank: learning to rank by optimising, directly, the measure its user is judged by.

Learners, each with ``fit(X, y, qid)``, ``predict(X)`` and ``score(X, y, qid)``
    `SVMRanker`, `LambdaMART`, `RankSVM`, `SmoothRank`, `AdaRank`, `RankBoost`, `CoordinateAscent`, `EnsembleSelection` and
    `OneVsRestSVM`; `MultivariateSVC` for one set of rows.
Data
    `RankingData`, `read_letor`, `read_parquet`, `read_run`, `read_qrels`, `join_runs`, `join_log` and those that write.
Evaluation
    `evaluate`, `evaluate_run`, `compare`, `compare_all`, `local_optimality`; measures are named as in ``"nDCG@10"``, and
    `Measure` and `ContingencyMeasure` are for one's own.
Models
    `save_model` and `load_model`; ``directrank.models.export`` has those of other engines.
"""

from typing import TYPE_CHECKING

from .lazy import lazily
from .version import __version__ as __version__

if TYPE_CHECKING:
    from .data import (
        EngineLog,
        InputError,
        Qrels,
        RankingData,
        Run,
        join_log,
        join_runs,
        read_engine_log,
        read_letor,
        read_parquet,
        read_qrels,
        read_run,
        write_letor,
        write_parquet,
        write_qrels,
        write_run,
    )
    from .evaluation.evaluate import Evaluation, evaluate, evaluate_run
    from .evaluation.local_optimality import LocalOptimality, local_optimality
    from .evaluation.report import Report, compare_all
    from .evaluation.significance import Comparison, compare
    from .learners import (
        AdaRank,
        CoordinateAscent,
        EnsembleSelection,
        LambdaMART,
        MultivariateSVC,
        OneVsRestSVM,
        RankBoost,
        RankSVM,
        SmoothRank,
        SVMRanker,
        ranking_scorer,
        routing,
    )
    from .measures import ContingencyMeasure, Measure, MeasureError
    from .models import Model, ModelError, load_model, save_model

__all__ = [
    "AdaRank",
    "Comparison",
    "ContingencyMeasure",
    "CoordinateAscent",
    "EngineLog",
    "EnsembleSelection",
    "Evaluation",
    "InputError",
    "LambdaMART",
    "LocalOptimality",
    "Measure",
    "MeasureError",
    "Model",
    "ModelError",
    "MultivariateSVC",
    "OneVsRestSVM",
    "Qrels",
    "RankBoost",
    "RankSVM",
    "RankingData",
    "Report",
    "Run",
    "SVMRanker",
    "SmoothRank",
    "compare",
    "compare_all",
    "evaluate",
    "evaluate_run",
    "join_log",
    "join_runs",
    "load_model",
    "local_optimality",
    "ranking_scorer",
    "read_engine_log",
    "read_letor",
    "read_parquet",
    "read_qrels",
    "read_run",
    "routing",
    "save_model",
    "write_letor",
    "write_parquet",
    "write_qrels",
    "write_run",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "data": [
            "EngineLog",
            "InputError",
            "Qrels",
            "RankingData",
            "Run",
            "join_log",
            "join_runs",
            "read_engine_log",
            "read_letor",
            "read_parquet",
            "read_qrels",
            "read_run",
            "write_letor",
            "write_parquet",
            "write_qrels",
            "write_run",
        ],
        "evaluation": [
            "Comparison",
            "Evaluation",
            "LocalOptimality",
            "Report",
            "compare",
            "compare_all",
            "evaluate",
            "evaluate_run",
            "local_optimality",
        ],
        "learners": [
            "AdaRank",
            "CoordinateAscent",
            "EnsembleSelection",
            "LambdaMART",
            "MultivariateSVC",
            "OneVsRestSVM",
            "RankBoost",
            "RankSVM",
            "SVMRanker",
            "SmoothRank",
            "ranking_scorer",
            "routing",
        ],
        "measures": ["ContingencyMeasure", "Measure", "MeasureError"],
        "models": ["Model", "ModelError", "load_model", "save_model"],
    },
    submodules=[
        "data",
        "datasets",
        "evaluation",
        "features",
        "fusion",
        "learners",
        "measures",
        "models",
        "plots",
        "retrieval",
        "selection",
    ],
)

"""directrank: learning to rank by optimising, directly, the measure its user is judged by."""

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
from .evaluation import Evaluation, evaluate, evaluate_run
from .measures import Measure, MeasureError

__version__ = "0.1.0"

__all__ = [
    "Evaluation",
    "InputError",
    "Measure",
    "MeasureError",
    "Qrels",
    "RankingData",
    "Run",
    "evaluate",
    "evaluate_run",
    "join_runs",
    "read_letor",
    "read_parquet",
    "read_qrels",
    "read_run",
    "write_letor",
    "write_parquet",
    "write_qrels",
    "write_run",
]

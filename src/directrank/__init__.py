"""directrank: learning to rank by optimising, directly, the measure its user is judged by."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

# These two first, before any kernel is declared.
from . import kernel_threads as kernel_threads

with suppress(AttributeError, ImportError):  # a Numba that has changed internally goes without
    from . import kernel_cache as kernel_cache
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
from .evaluation import Comparison, Evaluation, Report, compare, compare_all, evaluate, evaluate_run
from .learners.registry import LEARNERS
from .measures import Measure, MeasureError
from .version import __version__ as __version__

if TYPE_CHECKING:
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
        routing,
    )
    from .models import Model, ModelError, load_model, save_model

__all__ = [
    "AdaRank",
    "Comparison",
    "CoordinateAscent",
    "EngineLog",
    "EnsembleSelection",
    "Evaluation",
    "InputError",
    "LambdaMART",
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


# What needs scikit-learn, whose import takes longer than all else, must not delay the first evaluation.
_ROOMS = {"routing": "learners", **{entry.class_name: "learners" for entry in LEARNERS.values()}}
_ROOMS |= dict.fromkeys(("Model", "ModelError", "load_model", "save_model"), "models")


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_ROOMS[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

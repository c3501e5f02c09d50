"""directrank: learning to rank by optimising, directly, the measure its user is judged by.

Learners, each with ``fit(X, y, qid)``, ``predict(X)`` and ``score(X, y, qid)``
    `SVMRanker`, `LambdaMART`, `RankSVM`, `SmoothRank`, `AdaRank`, `RankBoost`, `CoordinateAscent`, `EnsembleSelection` and
    `OneVsRestSVM`; `MultivariateSVC` for one set of rows.
Data
    `RankingData`, `read_letor`, `read_parquet`, `read_run`, `read_qrels`, `join_runs`, `join_log`, and functions that write.
Evaluation
    `evaluate`, `evaluate_run`, `compare`, `compare_all`, `local_optimality`; measures are named as in ``"nDCG@10"``, and
    `Measure` and `ContingencyMeasure` are for custom measures.
Models
    `save_model` and `load_model`; ``directrank.models.export`` writes the formats of other engines.
"""

import lazy_loader as _lazy_loader

from .version import __version__ as __version__

__getattr__, __dir__, _names = _lazy_loader.attach_stub(__name__, __file__)  # what __init__.pyi imports

_SUBMODULES = {
    "data",
    "datasets",
    "evaluation",
    "features",
    "fusion",
    "learners",
    "measures",
    "models",
    "retrieval",
    "selection",
}
__all__ = sorted(set(_names) - _SUBMODULES - {"__version__"})

"""What a ranking problem is, and reading, writing, describing and splitting it."""

from typing import TYPE_CHECKING

from ..lazy import lazily
from .errors import InputError, InputWarning

if TYPE_CHECKING:
    from .description import Description, describe
    from .formats.documents import Document, read_documents
    from .formats.engine_log import EngineLog, join_log, read_engine_log
    from .formats.letor import read_letor
    from .formats.letor_writing import write_letor
    from .formats.links import read_links, read_urls
    from .formats.parquet import read_parquet
    from .formats.parquet_writing import write_parquet
    from .formats.reuters import ModApte, Story, read_modapte, read_reuters
    from .formats.scores import read_scores, write_scores
    from .formats.topics import read_queries
    from .formats.trec import Qrels, Run, as_run, read_qrels, read_run, write_qrels, write_run
    from .formats.trec_joining import join_runs, judge
    from .ranking_data import Queries, RankingData
    from .split_folders import write_splits
    from .splits import FoldRows, QueryKFold, QueryTrials, Split, fold_rows, letor_folds, read_split, train_validation_test

__all__ = [
    "Description",
    "Document",
    "EngineLog",
    "FoldRows",
    "InputError",
    "InputWarning",
    "ModApte",
    "Qrels",
    "Queries",
    "QueryKFold",
    "QueryTrials",
    "RankingData",
    "Run",
    "Split",
    "Story",
    "as_run",
    "describe",
    "fold_rows",
    "join_log",
    "join_runs",
    "judge",
    "letor_folds",
    "read_documents",
    "read_engine_log",
    "read_letor",
    "read_links",
    "read_modapte",
    "read_parquet",
    "read_qrels",
    "read_queries",
    "read_reuters",
    "read_run",
    "read_scores",
    "read_split",
    "read_urls",
    "train_validation_test",
    "write_letor",
    "write_parquet",
    "write_qrels",
    "write_run",
    "write_scores",
    "write_splits",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "description": ["Description", "describe"],
        "formats.documents": ["Document", "read_documents"],
        "formats.engine_log": ["EngineLog", "join_log", "read_engine_log"],
        "formats.letor": ["read_letor"],
        "formats.letor_writing": ["write_letor"],
        "formats.links": ["read_links", "read_urls"],
        "formats.parquet": ["read_parquet"],
        "formats.parquet_writing": ["write_parquet"],
        "formats.reuters": ["ModApte", "Story", "read_modapte", "read_reuters"],
        "formats.scores": ["read_scores", "write_scores"],
        "formats.topics": ["read_queries"],
        "formats.trec": [
            "Qrels",
            "Run",
            "as_run",
            "read_qrels",
            "read_run",
            "write_qrels",
            "write_run",
        ],
        "formats.trec_joining": ["join_runs", "judge"],
        "ranking_data": ["Queries", "RankingData"],
        "split_folders": ["write_splits"],
        "splits": [
            "FoldRows",
            "QueryKFold",
            "QueryTrials",
            "Split",
            "fold_rows",
            "letor_folds",
            "read_split",
            "train_validation_test",
        ],
    },
)

"""Names that the shell completes: learners, measures and targets of exports, without importing any."""

from __future__ import annotations

from collections.abc import Iterable

from ...learners.registry import LEARNERS

#: Measures by name, with a usual cut-off where they need one, and examples of trec_eval's. A test compares them with ours.
MEASURES = (
    *("AP", "nDCG", "nDCG@10", "nDCG@5", "RR", "P@10", "P@5", "R@100", "AUC", "Accuracy", "AUPRC", "BalancedAccuracy"),
    *("Bpref", "DCG@10", "ERR@20", "F1", "GMean", "infAP", "IPrec@0.1", "Jaccard", "Judged@10", "macroP@10"),
    *("MacroPrecision", "MAUC", "MCC", "microP@10", "MicroPrecision", "PRBEP", "RBP", "Rprec", "SetF", "SetP", "SetR"),
    *("Success@1", "map", "recip_rank", "set_P", "set_recall", "set_F", "P_10", "recall_10", "success_10", "map_cut_10"),
    *("ndcg_cut_10", "iprec_at_recall_0.10"),
)


#: Where models can be exported to; compared with ours as well.
TARGETS = (
    *("elasticsearch-ltr", "opensearch-ltr", "elasticsearch", "solr", "vespa", "ranklib", "onnx", "xgboost", "lightgbm"),
    *("treelite", "sql", "python"),
)


def complete_target(incomplete: str) -> list[str]:
    return _starting(incomplete, TARGETS)


def complete_learner(incomplete: str) -> list[str]:
    return _starting(incomplete, LEARNERS)


def complete_ranker(incomplete: str) -> list[str]:
    return _starting(incomplete, [name for name, entry in LEARNERS.items() if entry.learns_queries])


def complete_measure(incomplete: str) -> list[str]:
    return _starting(incomplete, MEASURES)


def complete_measures(incomplete: str) -> list[str]:
    """The last of a list with commas."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in _starting(last, MEASURES)]


def _starting(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]

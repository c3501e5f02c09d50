"""Names that the shell completes: learners, measures and export targets, without importing any of them."""

from __future__ import annotations

from collections.abc import Iterable

from ...learners.registry import LEARNERS

#: Measures, with a common cut-off where they need one, and examples of trec_eval's names. A test keeps the list complete.
MEASURES = (
    *("AP", "nDCG", "nDCG@10", "nDCG@5", "RR", "P@10", "P@5", "R@100", "AUC", "Accuracy", "ARP", "AUPRC"),
    *("BalancedAccuracy", "Bpref", "DCG@10", "DCG(gain=linear)@10", "ERR@20", "F1", "GMean", "infAP", "IPrec@0.1"),
    *("Jaccard", "Judged@10", "macroP@10", "MacroPrecision", "MAUC", "MCC", "microP@10", "MicroPrecision", "PRBEP"),
    *("RBP", "Rprec", "SetF", "SetP", "SetR", "Success@1", "map", "recip_rank", "set_P", "set_recall", "set_F", "P_10"),
    *("recall_10", "success_10", "map_cut_10", "ndcg", "ndcg_cut_10", "bpref", "iprec_at_recall_0.10"),
)

#: Export targets. A test keeps the list complete.
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
    """Complete the last name of a comma-separated list."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in _starting(last, MEASURES)]


def _starting(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]

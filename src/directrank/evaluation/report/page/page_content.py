"""Content of the page that is shown at once: the figures of a report, and how they were computed."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from ....data import InputError
from ....data.shown_ids import some_of
from ....version import __version__
from ...plots.depth import ndcg_at_k_rows, precision_recall_rows
from ..report_tables import marks

if TYPE_CHECKING:
    from ...significance import Comparison
    from ..report import Report


def page_content(report: Report, title: str, queries: Mapping[str, str], command: str | None) -> dict[str, Any]:
    """All figures of a report, by measure and ranking, with a value for each query."""
    texts = {str(qid): text for qid, text in queries.items()}
    if texts and not any(str(qid) in texts for qid in report.qid):
        raise InputError(
            f"none of the queries with texts ({some_of(list(texts))}) is in the report, which has {some_of(report.qid)}; "
            "check that they have the same ids"
        )
    return {
        "title": title,
        "rankings": report.names,
        "letters": list(report.letters.values()),
        "measures": report.measures,
        "baseline": None if report.baseline is None else report.names.index(report.baseline),
        "alpha": report.method.alpha,
        "queries": [str(qid) for qid in report.qid],
        "texts": [texts.get(str(qid), "") for qid in report.qid],
        "values": {measure: np.round(values, 5).tolist() for measure, values in report.values.items()},
        "means": {measure: [_mean(report, measure, name) for name in report.names] for measure in report.measures},
        "compared": {measure: _compared(report, measure) for measure in report.measures},
        "curves": _curves(report),
        "about": {"sentences": report.sentences(), "made": _made(), "command": command},
    }


def _mean(report: Report, measure: str, name: str) -> dict[str, Any]:
    mean = report.means[measure][name]
    best = name in report.best(measure)
    interval = report.differences[measure].get(name)
    return {
        "mean": mean.value,
        "low": mean.interval.low,
        "high": mean.interval.high,
        "best": best,
        "marks": marks(report, measure, name),
        "difference": None if interval is None else list(interval),
    }


def _compared(report: Report, measure: str) -> list[list[Any]]:
    """Each comparison: numbers of the two rankings, and its figures."""
    at = {name: i for i, name in enumerate(report.names)}
    return [[at[first], at[second], _figures(found)] for (first, second), found in report.comparisons[measure].items()]


def _figures(found: Comparison) -> dict[str, Any]:
    effect = found.effect_size if math.isfinite(found.effect_size) else None
    tally = [found.wins, found.ties, found.losses]
    return {"difference": found.difference, "effect": effect, "p": found.p, "corrected": found.corrected_p, "tally": tally}


def _curves(report: Report) -> dict[str, list[dict[str, Any]]] | None:
    """Rows of the two charts over ranks; None if a ranking is not known."""
    if any(evaluation.ranking is None for evaluation in report.evaluations.values()):
        return None
    return {"precision_recall": precision_recall_rows(report), "ndcg_at_k": ndcg_at_k_rows(report)}


def _made() -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn"))
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"Made {when} by directrank {__version__} (Python {platform.python_version()}, {versions})."

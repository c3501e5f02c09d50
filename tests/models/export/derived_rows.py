"""Rows with the derived features that an export defines, by the rules of the engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import engines

from directrank.models.export import TARGETS


def with_derived_features(target: str, model: Any, rows: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """The features of rows as an engine computes them from its feature definitions; rows as they are where it has none."""
    if target not in ("elasticsearch-ltr", "opensearch-ltr", "solr"):
        return rows
    definitions = TARGETS[target].write_features(model, {}).text
    if target != "solr":
        return engines.elasticsearch_ltr_features(definitions, rows)
    sources = {f"{name}_{suffix}": name for name in rows[0] for suffix in ("log", "missing")}
    return engines.solr_features(engines.filled_in(definitions, sources), rows)

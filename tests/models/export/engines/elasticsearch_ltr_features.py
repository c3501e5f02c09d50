"""Feature sets of the Learning to Rank plugins of Elasticsearch and OpenSearch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .lucene_expression import lucene_expression
from .rows import ZERO, Row, vector
from .strict import Refused, array, keys_of, read_json

_FILL_IN = "FILL IN: a query, for example match"
_SAME_QUERY = "FILL IN: the query of "


def elasticsearch_ltr_features(body: str | Mapping[str, Any], rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The features of rows, as linear models get them, from the body of `_ltr/_featureset`.

    The rows have the features whose templates are to be filled in, missing where their query does not match. A derived
    feature refers to features of the set, and is computed after those before it; one that did not match is 0 for it, since
    the vector of a linear model is (StoredFeatureSet.java, PrecompiledExpressionFeature.java, DerivedExpressionQuery.java).
    A constant_score query gives 1 where its filter matches (ConstantScoreQuery.java).
    """
    features = array(
        keys_of(keys_of(read_json(body), "the body", {"featureset"})["featureset"], "it", {"name", "features"})["features"],
        "features",
    )
    names = [feature["name"] for feature in features]
    if len(set(names)) < len(names):
        raise Refused("feature names must be unique in a set")
    scored = []
    for row in rows:
        values: dict[str, Any] = {}
        for feature in features:
            feature = keys_of(feature, "a feature", {"name", "params", "template_language", "template"})
            values[feature["name"]] = _value(feature, values, row)
        scored.append(values)
    return scored


def _value(feature: dict[str, Any], before: dict[str, Any], row: Row) -> Any:
    template = feature["template"]
    if feature["template_language"] == "derived_expression":
        vectored = dict(zip(before, vector(before, list(before), ZERO), strict=True))
        return lucene_expression(template, vectored)  # type: ignore[arg-type]
    if feature["template_language"] != "mustache":
        raise Refused(f"there is no template language {feature['template_language']!r}")
    if list(template) == [_FILL_IN]:
        return row[feature["name"]]
    negated = template["constant_score"]["filter"]["bool"]["must_not"]
    (query,) = negated
    value = row[query.removeprefix(_SAME_QUERY)]
    return 1.0 if value is None or value != value else None

"""The engines' rules on models written by hand: values at and beside thresholds, missing values, and errors."""

from __future__ import annotations

import base64
import copy
import gzip
import json
from typing import Any

import engines
import numpy as np
import pytest
from engines.strict import nearest_float32
from hypothesis import given, strategies as st

HALF = np.float32(0.5)
ABOVE = np.nextafter(HALF, np.float32(1))
BELOW = np.nextafter(HALF, np.float32(0))
FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)


def one(name: str, *values: float | None) -> list[dict[str, Any]]:
    """Rows of a single feature."""
    return [{name: value} for value in values]


# --- the plugins of Elasticsearch and OpenSearch


def plugin(kind: str, definition: object) -> dict[str, Any]:
    return {"model": {"name": "m", "model": {"type": f"model/{kind}", "definition": definition}}}


def plugin_split(missing: int = 1) -> dict[str, Any]:
    children = [{"nodeid": 1, "leaf": 1.0}, {"nodeid": 2, "leaf": 2.0}]
    split = {"nodeid": 0, "depth": 0, "split": "a", "split_condition": 0.5, "yes": 1, "no": 2, "missing": missing}
    return {**split, "children": children}


def test_the_plugin_goes_yes_strictly_below_the_threshold():
    scores = engines.elasticsearch_ltr(plugin("xgboost+json", [plugin_split()]), one("a", BELOW, HALF, ABOVE))
    assert scores.tolist() == [1, 2, 2]
    assert scores.dtype == np.float32


@pytest.mark.parametrize(("missing", "leaf"), [(1, 1), (2, 2)])
def test_features_that_the_plugin_did_not_match_follow_missing_or_are_zero(missing, leaf):
    body = plugin("xgboost+json", [plugin_split(missing)])
    assert engines.elasticsearch_ltr(body, one("a", None, np.nan)).tolist() == [leaf, leaf]
    assert engines.elasticsearch_ltr(body, one("a", None, np.nan), unmatched="right").tolist() == [2, 2]
    assert engines.elasticsearch_ltr(body, one("a", None, np.nan), unmatched="zero").tolist() == [1, 1]


def test_the_plugin_takes_json_in_a_string_and_an_object_of_splits():
    for definition in (
        [plugin_split()],
        json.dumps([plugin_split()]),
        {"objective": "rank:pairwise", "splits": [plugin_split()]},
    ):
        text = json.dumps(plugin("xgboost+json", definition))
        assert engines.elasticsearch_ltr(text, one("a", 0.25, 0.75)).tolist() == [1, 2]
    logistic = plugin("xgboost+json", {"objective": "reg:logistic", "splits": [{"nodeid": 0, "leaf": 0}]})
    assert engines.elasticsearch_ltr(logistic, one("a", 0)).tolist() == [0.5]


def test_the_plugin_sums_floats_tree_by_tree():
    leaves = [{"nodeid": 0, "leaf": value} for value in (1.0, 2.0**-24, 2.0**-24)]
    assert engines.elasticsearch_ltr(plugin("xgboost+json", leaves), one("a", 0)).tolist() == [1]
    assert engines.elasticsearch_ltr(plugin("xgboost+json", leaves[::-1]), one("a", 0)).tolist() == [1 + 2.0**-23]


@pytest.mark.parametrize(
    "change",
    [
        {"gain": 1.0},
        {"depth": None},
        {"split": "unknown"},
        {"yes": 2, "no": 1},
        {"missing": 3},
        {"missing": None},
        {"children": [{"nodeid": 1, "leaf": 1.0}]},
        {"children": [{"nodeid": 2, "leaf": 2.0}, {"nodeid": 1, "leaf": 1.0}]},
        {"split_condition": "0.5"},
        {"nodeid": 0.0},
    ],
)
def test_the_plugin_rejects_a_damaged_split(change):
    split = {key: value for key, value in {**plugin_split(), **change}.items() if value is not None}
    with pytest.raises(engines.Refused):
        engines.elasticsearch_ltr(plugin("xgboost+json", [split]), one("a", 0.25))


@pytest.mark.parametrize(
    "body",
    [
        plugin("xgboost+json", []),
        plugin("xgboost+json", {"splits": [plugin_split()], "objective": "reg:squarederror"}),
        plugin("xgboost+json", {"splits": [plugin_split()], "base_score": 0.5}),
        plugin("lightgbm", [plugin_split()]),
        {**plugin("linear", {"a": 1.0}), "name": "m"},
        plugin("linear", {"a": "1.0"}),
        plugin("linear", {"b": 1.0}),
        plugin("linear", {"a": 1e39}),
        plugin("linear", [1.0]),
        '{"model": {"name": "m", "model": {"type": "model/linear", "definition": {"a": NaN}}}}',
        '{"model": {"name": "m", "model": {"type": "model/linear", "definition": {"a": 1, "a": 2}}}}',
    ],
)
def test_the_plugin_rejects_other_bodies(body):
    with pytest.raises(engines.Refused):
        engines.elasticsearch_ltr(body, one("a", 0.25))


def test_the_plugins_linear_model_sums_floats_in_the_order_of_the_feature_set():
    body = plugin("linear", {"c": 2.0**-24, "a": 1.0, "b": 2.0**-24})
    rows = [{"a": 1, "b": 1, "c": 1}, {"a": None, "b": 1, "c": np.nan}]
    assert engines.elasticsearch_ltr(body, rows).tolist() == [1, 2.0**-24]
    assert engines.elasticsearch_ltr(body, rows, features=["c", "b", "a"]).tolist() == [1 + 2.0**-23, 2.0**-24]


def test_a_number_that_rounds_in_two_ways_is_rejected():
    with pytest.raises(engines.Refused, match="through a double"):
        engines.elasticsearch_ltr(plugin("linear", '{"a": 7.038531e-26}'), one("a", 1))


@given(FLOATS)
def test_every_float_is_read_back_from_the_text_of_its_double(value):
    assert nearest_float32(repr(value)) == np.float32(value)
    body = plugin("xgboost+json", [{"nodeid": 0, "leaf": value}])
    assert engines.elasticsearch_ltr(body, one("a", 0)).tolist() == [0.0 + value]


# --- Elasticsearch's own models


def native_tree(**split: object) -> dict[str, Any]:
    node = {"node_index": 0, "split_feature": 0, "threshold": 0.5, "decision_type": "lte", "left_child": 1, "right_child": 2}
    leaves = [{"node_index": 1, "leaf_value": 1.0}, {"node_index": 2, "leaf_value": [2.0]}]
    return {"tree": {"feature_names": ["a"], "target_type": "regression", "tree_structure": [{**node, **split}, *leaves]}}


def native(*trees: dict[str, Any], output: object = None) -> dict[str, Any]:
    ensemble = {"feature_names": ["a"], "target_type": "regression", "trained_models": list(trees)}
    trained = {"ensemble": {**ensemble, "aggregate_output": {"weighted_sum": output or {}}}}
    return {"inference_config": {"learning_to_rank": {}}, "definition": {"trained_model": trained}}


@pytest.mark.parametrize(
    ("operator", "leaves"), [("lte", [1, 1, 2]), ("lt", [1, 2, 2]), ("gte", [2, 1, 1]), ("gt", [2, 2, 1])]
)
def test_native_operators(operator, leaves):
    body = native(native_tree(decision_type=operator))
    assert engines.elasticsearch_native(body, one("a", BELOW, HALF, ABOVE)).tolist() == leaves


@pytest.mark.parametrize(("split", "leaf"), [({"default_left": True}, 1), ({"default_left": False}, 2), ({}, 2)])
def test_native_missing_values_and_infinities_go_by_default_left(split, leaf):
    rows = one("a", None, np.nan, np.inf, -np.inf)
    assert engines.elasticsearch_native(native(native_tree(**split)), rows).tolist() == [leaf] * 4


def test_native_weights_and_a_single_tree():
    body = native(native_tree(), native_tree(threshold=0.1), output={"weights": [1, 10]})
    assert engines.elasticsearch_native(body, one("a", 0.25)).tolist() == [21]
    body["definition"]["trained_model"] = native_tree()
    assert engines.elasticsearch_native(body, one("a", 0.25)).tolist() == [1]


def test_native_sum_is_compensated_and_then_a_float():
    leaf = {"feature_names": [], "target_type": "regression"}
    values = [1.0, 2.0**-53, 2.0**-53, -1.0]
    trees = [{"tree": {**leaf, "tree_structure": [{"node_index": 0, "leaf_value": value}]}} for value in values]
    assert engines.elasticsearch_native(native(*trees), [{}]).tolist() == [2.0**-52]


def test_native_compressed_definition():
    body = native(native_tree())
    text = json.dumps(body.pop("definition")).encode()
    body["compressed_definition"] = base64.b64encode(gzip.compress(text)).decode()
    assert engines.elasticsearch_native(body, one("a", 0.25, 0.75)).tolist() == [1, 2]


def test_native_features_without_an_extractor_are_missing():
    body = native(native_tree(default_left=False))
    extractor = {"query_extractor": {"feature_name": "b", "query": {"match_all": {}}}}
    body["inference_config"]["learning_to_rank"]["feature_extractors"] = [extractor]
    assert engines.elasticsearch_native(body, one("a", 0.25)).tolist() == [2]
    extractor["query_extractor"]["feature_name"] = "a"
    assert engines.elasticsearch_native(body, one("a", 0.25)).tolist() == [1]
    body["inference_config"]["learning_to_rank"]["feature_extractors"] *= 2
    with pytest.raises(engines.Refused, match="same feature_name"):
        engines.elasticsearch_native(body, one("a", 0.25))


@pytest.mark.parametrize(
    "split",
    [
        {"left_child": 3},
        {"left_child": 0},
        {"right_child": 1},
        {"split_feature": 1},
        {"decision_type": "<="},
        {"default_left": "true"},
        {"threshold": "0.5"},
        {"gain": 1},
    ],
)
def test_native_rejects_a_damaged_tree(split):
    with pytest.raises(engines.Refused):
        engines.elasticsearch_native(native(native_tree(**split)), one("a", 0.25))


def test_native_rejects_other_bodies():
    damaged = [native(), native(native_tree(), output={"weights": [1, 2]})]
    damaged += [{**native(native_tree()), "input": {"field_names": ["a"]}}, {**native(native_tree()), "unknown": 1}]
    for body in damaged:
        with pytest.raises(engines.Refused):
            engines.elasticsearch_native(body, one("a", 0.25))


# --- Solr


def solr_model(params: dict[str, Any], kind: str = "MultipleAdditiveTreesModel") -> dict[str, Any]:
    return {"class": f"org.apache.solr.ltr.model.{kind}", "name": "m", "features": [{"name": "a"}], "params": params}


def solr_trees(threshold: str = "0.5", **split: object) -> dict[str, Any]:
    root = {"feature": "a", "threshold": threshold, "left": {"value": "1"}, "right": {"value": "2"}, **split}
    return solr_model({"trees": [{"weight": "1", "root": root}]})


def test_solr_lifts_a_threshold_by_its_slack():
    lifted = HALF + np.float32(1e-6)
    rows = one("a", BELOW, HALF, ABOVE, lifted, np.nextafter(lifted, np.float32(1)))
    assert engines.solr(solr_trees(), rows).tolist() == [1, 1, 1, 1, 2]


def test_solrs_slack_is_lost_in_the_rounding_of_a_large_threshold():
    above = [np.nextafter(np.float32(t), np.float32(np.inf)) for t in (20, 40)]
    assert engines.solr(solr_trees("20"), one("a", above[0])).tolist() == [1]
    assert engines.solr(solr_trees("40"), one("a", above[1])).tolist() == [2]


def test_solrs_missing_values_are_zero_or_follow_missing():
    rows = one("a", None, np.nan)
    assert engines.solr(solr_trees(missing="right"), rows).tolist() == [1, 1]
    for direction, leaf in (("left", 1), ("right", 2), ("elsewhere", 2)):
        body = solr_trees(missing=direction)
        body["params"]["isNullSameAsZero"] = False
        assert engines.solr(body, rows, default=np.float32(np.nan)).tolist() == [leaf, leaf]
        assert engines.solr(body, rows).tolist() == [1, 1]
    assert engines.solr(solr_trees(), rows, default=np.float32(np.nan)).tolist() == [2, 2]
    body = solr_trees()
    body["params"]["isNullSameAsZero"] = False
    with pytest.raises(engines.Refused, match="missing"):
        engines.solr(body, rows)


def test_solr_weighs_trees_and_sums_floats():
    trees = [
        {"weight": "2f", "root": {"value": text}} for text in ("0.5", "2.9802322387695312e-08", "2.9802322387695312e-08")
    ]
    assert engines.solr([solr_model({"trees": trees})], one("a", 0)).tolist() == [1]
    assert engines.solr([solr_model({"trees": trees[::-1]})], one("a", 0)).tolist() == [1 + 2.0**-23]


@pytest.mark.parametrize(
    "split",
    [
        {"threshold": 0.5},
        {"left": {"value": 1}},
        {"left": {"value": "one"}},
        {"value": "1"},
        {"feature": "b"},
        {"left": {"left": {"value": "1"}, "value": "1"}},
    ],
)
def test_solr_rejects_a_damaged_split(split):
    with pytest.raises(engines.Refused):
        engines.solr(solr_trees(**split), one("a", 0.25))


def test_solr_rejects_other_bodies():
    damaged = [solr_model({}), solr_model({"trees": [{"root": {"value": "1"}}]}), solr_model({"trees": [], "bias": "1"})]
    damaged += [{**solr_trees(), "features": []}, {**solr_trees(), "features": [{"name": "a"}, {"name": "a"}]}]
    for params in ({"weights": {}}, {"weights": {"a": "1"}}, {"weights": {"a": 1}, "bias": 1}):
        damaged.append(solr_model(params, "LinearModel"))
    for body in damaged:
        with pytest.raises(engines.Refused):
            engines.solr(body, one("a", 0.25))


def test_solrs_linear_model():
    body = solr_model({"weights": {"a": 0.5, "not used": 1}}, "LinearModel")
    assert engines.solr(json.dumps(body), one("a", 3, None)).tolist() == [1.5, 0]


# --- Vespa


def vespa_model(*nodes: dict[str, Any], **root: object) -> str:
    trees = [{"tree_index": i, "tree_structure": node} for i, node in enumerate(nodes)]
    text = {"objective": "lambdarank", "feature_names": ["a"], "tree_info": trees, "pandas_categorical": None, **root}
    return json.dumps(text)


def vespa_split(**split: object) -> dict[str, Any]:
    children = {"left_child": {"leaf_value": 1.0}, "right_child": {"leaf_value": 2.0}}
    return {"split_feature": 0, "threshold": 0.5, "decision_type": "<=", "default_left": False, **children, **split}


@pytest.mark.parametrize(("default_left", "leaf"), [(True, 1), (False, 2)])
def test_vespa_takes_less_or_equal_for_less_and_missing_by_default_left(default_left, leaf):
    text = vespa_model(vespa_split(default_left=default_left))
    scores = engines.vespa_lightgbm(text, one("a", BELOW, HALF, ABOVE, None))
    assert scores.tolist() == [1, 2, 2, leaf]


def test_vespa_has_doubles_or_for_large_forests_floats():
    threshold = float(HALF) + 1e-12
    text = vespa_model(vespa_split(threshold=threshold), {"leaf_value": 0.1})
    assert engines.vespa_lightgbm(text, one("a", HALF)).tolist() == [1.1]
    assert engines.vespa_lightgbm(text, one("a", HALF), single=True).tolist() == [2 + float(np.float32(0.1))]


def test_vespas_objectives():
    for objective, score in (("binary sigmoid:1", 0.5), ("poisson", 1), ("lambdarank", 0), (None, 0)):
        text = vespa_model({"leaf_value": 0}, objective=objective)
        assert engines.vespa_lightgbm(text, one("a", 1)).tolist() == [score]


@pytest.mark.parametrize("key", ["objective", "feature_names", "tree_info", "pandas_categorical"])
def test_vespa_needs_four_keys(key):
    root = json.loads(vespa_model(vespa_split()))
    del root[key]
    with pytest.raises(engines.Refused, match=key):
        engines.vespa_lightgbm(json.dumps(root), one("a", 1))


@pytest.mark.parametrize(
    "split",
    [
        {"decision_type": "=="},
        {"decision_type": None},
        {"split_feature": 1},
        {"threshold": "Infinity"},
        {"left_child": None},
    ],
)
def test_vespa_rejects_a_damaged_split(split):
    with pytest.raises(engines.Refused):
        engines.vespa_lightgbm(vespa_model(vespa_split(**split)), one("a", 1))


def test_vespas_names_are_parts_of_the_expression():
    name = "fieldMatch(title).completeness"
    text = vespa_model(vespa_split(), feature_names=[name])
    assert engines.vespa_lightgbm(text, one(name, 0.25)).tolist() == [1]
    for bad in ("title-length", "my feature", "1st", "a/b", "", "max", "f"):
        with pytest.raises(engines.Refused):
            engines.vespa_lightgbm(vespa_model(vespa_split(), feature_names=[bad]), one(bad, 0.25))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3 - 4 / 2", 5),
        ("(1 + 2) * 3", 9),
        ("8 / 2 / 2 - 1 - 1", 0),
        ("-1.5e-1 * a + -2*attribute(b)", -6.3),
        ("attribute( b )\n  # a comment\n + query(w).out", 13),
        ("if (a < 3, 1, if (!(a >= 3), 2, 3))", 1),
        ("if (isNan(missing), 1, 2) + isNan(a)", 1),
        ("sigmoid(0) + exp(0)", 1.5),
        ("log(exp(1)) + fabs(-2)", 3),
        ("1E2 + 1.", 101),
    ],
)
def test_vespas_expressions(text, value):
    row = {"a": 2, "attribute(b)": 3, "query(w).out": 10, "missing": None}
    assert engines.vespa_expression(text, [row]).tolist() == pytest.approx([value], abs=0)


@pytest.mark.parametrize(
    "text", ["", ".5", "--1", "a b", "a +", "unknown", "if (a, 1)", "nan", "1e400x", "a^2", "(a", "log10(a)"]
)
def test_vespa_rejects_other_expressions(text):
    with pytest.raises(engines.Refused):
        engines.vespa_expression(text, one("a", 1))


# --- derived features


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3 - 4 / 2", 5),
        ("(1 + 2) * 3", 9),
        ("8 / 2 / 2 - 1 - 1", 0),
        ("a == 2 ? b.c : ln(0)", 3),
        ("a + 1 == 2 ? 1 : a < 3 ? 5 : 6", 5),
        ("abs(1 - b.c) * ln(abs(a) - 1)", 0),
        ("1e-3 + $x", -0.999),
    ],
)
def test_lucenes_expressions(text, value):
    found = engines.lucene_expression(text, {"a": 2.0, "b.c": 3.0, "$x": -1.0})
    assert found.dtype == np.float32 and found == np.float32(value)


@pytest.mark.parametrize("text", ["", "a b", "a +", "unknown", "log(a)", "a ? 1", "(a", "a-", "a@b", "1st"])
def test_lucene_rejects_other_expressions(text):
    with pytest.raises(engines.Refused):
        engines.lucene_expression(text, {"a": 1.0})


def feature_set(*features: dict[str, Any]) -> dict[str, Any]:
    return {"featureset": {"name": "s", "features": list(features)}}


def plugin_feature(name: str, template: Any, language: str = "mustache") -> dict[str, Any]:
    return {"name": name, "params": [], "template_language": language, "template": template}


def test_features_of_the_plugin_are_queries_and_expressions_of_those_before():
    raw = plugin_feature("a", {"FILL IN: a query, for example match": {}})
    double = plugin_feature("twice", "2 * a", "derived_expression")
    negated = {"constant_score": {"filter": {"bool": {"must_not": {"FILL IN: the query of a": {}}}}}}
    rows = engines.elasticsearch_ltr_features(feature_set(raw, double, plugin_feature("none", negated)), one("a", 0.5, None))
    assert rows == [{"a": 0.5, "twice": 1.0, "none": None}, {"a": None, "twice": 0.0, "none": 1.0}]
    with pytest.raises(engines.Refused, match="unknown feature 'a'"):
        engines.elasticsearch_ltr_features(feature_set(double, raw), one("a", 0.5))
    with pytest.raises(engines.Refused, match="unique"):
        engines.elasticsearch_ltr_features(feature_set(raw, raw), one("a", 0.5))


@pytest.mark.parametrize(
    ("function", "matched", "unmatched"),
    [
        ("query($x)", 0.5, 0),
        ("if(exists(query($x)),0,1)", 0, 1),
        ("sum(1,product(query($x),3))", 2.5, 1),
        ("sub(query($x),1)", 0, 0),
        ("if(eq(query($x),0.5),div(query($x),2),ln(query($x)))", 0.25, 0),
    ],
)
def test_functions_of_solr_are_floats_that_are_not_negative(function, matched, unmatched):
    query = "{!FILL_IN, a query}${query}"
    params = {"a": query, "b": f"{{!func x='{query}'}}{function}"}
    store = [{"name": n, "class": "org.apache.solr.ltr.feature.SolrFeature", "params": {"q": q}} for n, q in params.items()]
    rows = engines.solr_features(engines.filled_in(json.dumps(store), {"b": "a"}), one("a", 0.5, None))
    assert rows == [{"a": 0.5, "b": matched}, {"a": None, "b": unmatched}]


# --- RankLib

RANKLIB = """## LambdaMART
## No. of trees = 2

<ensemble>
\t<tree id="1" weight="0.1">
\t\t<split>
\t\t\t<feature>1 </feature>
\t\t\t<threshold> 0.5 </threshold>
\t\t\t<split pos="left">
\t\t\t\t<output>1.0 </output>
\t\t\t</split>
\t\t\t<split pos="right">
\t\t\t\t<output>2.0 </output>
\t\t\t</split>
\t\t</split>
\t</tree>
\t<tree id="2" weight="1.0">
\t\t<split>
\t\t\t<output>3.0 </output>
\t\t</split>
\t</tree>
</ensemble>
"""


def test_ranklib_goes_left_up_to_the_threshold_and_takes_missing_for_zero():
    tenth = float(np.float32(0.1))
    left, right = np.float32(np.float32(tenth) + 3.0), np.float32(float(np.float32(2 * tenth)) + 3.0)
    scores = engines.ranklib(RANKLIB, one("a", BELOW, HALF, ABOVE, None))
    assert scores.tolist() == [left, left, right, left]


def test_ranklib_rounds_each_step_of_its_sum_to_a_float():
    leaf = "<tree weight='{}'><split><output>1</output></split></tree>"
    weights = ["1", "5.9604644775390625e-08", "5.9604644775390625e-08"]
    for order, score in ((weights, 1), (weights[::-1], 1 + 2.0**-23)):
        text = "## MART\n<ensemble>" + "".join(leaf.format(weight) for weight in order) + "</ensemble>"
        assert engines.ranklib(text, one("a", 0)).tolist() == [score]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("## LambdaMART\n", ""),
        ("## LambdaMART", "## Lambda MART"),
        ("<split>\n\t\t\t<feature>", "<split> <feature>"),
        ("</feature>\n", "</feature> "),
        ('<tree id="1" weight="0.1">', '<tree id="1">'),
        ("<feature>1 ", "<feature>2 "),
        ("<feature>1 ", "<feature>0 "),
        (" 0.5 ", " half "),
        ("</ensemble>", ""),
        ("## No. of trees = 2\n\n", "#\n"),
    ],
)
def test_ranklib_rejects_a_damaged_ensemble(old, new):
    assert old in RANKLIB
    with pytest.raises(engines.Refused):
        engines.ranklib(RANKLIB.replace(old, new, 1), one("a", 0.25))


def test_ranklibs_linear_models():
    rows = [{"a": 2, "b": None}, {"a": 1, "b": 3}]
    assert engines.ranklib("## Coordinate Ascent\n## Restart = 5\n1:0.5 2:0.25", rows).tolist() == [1, 1.25]
    assert engines.ranklib("## AdaRank\n\n2:1 2:1 1:1 # a comment", rows).tolist() == [2, 7]
    assert engines.ranklib("## Linear Regression\n0:10 2:1", rows).tolist() == [10, 13]
    assert engines.ranklib("## Linear Regression\n0:10 2:1", rows, features=["b", "a"]).tolist() == [12, 11]


@pytest.mark.parametrize(
    "text",
    [
        "## Coordinate Ascent\n0:1 1:1",
        "## Coordinate Ascent\n2:1",
        "## Coordinate Ascent\n",
        "## AdaRank\n1:x",
        "## Linear Regression\n1:1",
    ],
)
def test_ranklib_rejects_other_linear_models(text):
    with pytest.raises(engines.Refused):
        engines.ranklib(text, one("a", 0.25))


def test_a_row_that_is_not_float32_is_an_error():
    with pytest.raises(ValueError, match="no float32"):
        engines.ranklib(RANKLIB, one("a", 0.1))


def test_reading_changes_no_body():
    body = native(native_tree())
    before = copy.deepcopy(body)
    engines.elasticsearch_native(body, one("a", 0.25))
    assert body == before

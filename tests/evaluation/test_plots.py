"""Charts: their rows, and that each can be drawn with any names."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import altair as alt
import numpy as np
import pytest
import vl_convert

from directrank import AdaRank, InputError, evaluate
from directrank.datasets import make_ranking
from directrank.evaluation import plots
from directrank.evaluation.curves import interpolated_precision, ndcg_at
from directrank.evaluation.plots.depth import ndcg_at_k_chart, ndcg_at_k_rows, precision_recall_chart, precision_recall_rows
from directrank.evaluation.plots.distributions import distribution_chart, distribution_rows, means_chart, means_rows
from directrank.evaluation.plots.paired_differences import differences_chart, differences_rows, scatter_chart, scatter_rows
from directrank.evaluation.plots.training_curves import training_rows
from directrank.evaluation.plots.weight_charts import weight_curves_rows, weights_chart, weights_rows
from directrank.evaluation.report import Report, compare_all
from directrank.features.score_binner import Curve
from directrank.measures import AP, nDCG
from directrank.models import Importances, LinearModel, ModelError, Provenance

HOSTILE = [
    '\\"+alert(1)+\\"',
    'it\'s "quoted" \\ and\nbroken',
    "<script>alert(1)</script>",
    "a.b[0]",
    "datum.x + first",
    "",
    "'+alert(1)+'",
    "a\\",
]
PIECES = (SimpleNamespace(thresholds=[1.0, 2.0], values=[0.0, 3.0, 1.0]), Curve(np.array([]), np.array([0.0])))


def report_of(names: list[str], measures: Any = ("AP", "nDCG@10"), n_queries: int = 20, **options: Any) -> Report:
    data, rng = make_ranking(n_queries, (5, 30), random_state=0), np.random.default_rng(0)
    scores = [data.y + rng.normal(size=data.y.size) * (0.5 + i) for i in range(len(names))]
    found = {name: evaluate(data.y, mine, data.qid, measures) for name, mine in zip(names, scores, strict=True)}
    return compare_all(found, n_resamples=100, **options)


NAMES = {
    "few": ["BM25", "SVM", "a name that is so long that no axis and no legend can ever show all of it"],
    "many": [f"run {i}" for i in range(20)],
    "hostile": HOSTILE,
}

DRAW = {
    "means": lambda report, first, second: plots.means(report, "AP"),
    "distribution": lambda report, first, second: plots.distribution(report, "AP"),
    "differences": lambda report, first, second: plots.differences(report, "AP", first, second),
    "scatter": lambda report, first, second: plots.scatter(report, "AP", first, second),
    "precision_recall": lambda report, first, second: plots.precision_recall(report),
    "precision_recall of two": lambda report, first, second: plots.precision_recall(report, highlight=[first, second]),
    "ndcg_at_k": lambda report, first, second: plots.ndcg_at_k(report),
    "training": lambda report, *_: plots.training({name: [1.0, 0.5] for name in (*report.names[:3], "gap", "objective")}),
    "weights": lambda report, *_: plots.weights(
        Importances("weight", tuple(report.names), tuple(range(len(report.names)))), top=3
    ),
    "weight_curves": lambda report, *_: plots.weight_curves({name: PIECES[i % 2] for i, name in enumerate(report.names)}),
}


@cache
def known_report(kind: str) -> Report:
    return report_of(NAMES[kind], baseline=NAMES[kind][0])


@cache
def spec_of(kind: str, name: str) -> dict[str, Any]:
    return DRAW[name](known_report(kind), *NAMES[kind][:2]).to_dict()


each_kind = pytest.mark.parametrize("kind", NAMES)
each_chart = pytest.mark.parametrize("name", DRAW)


@pytest.fixture(scope="module")
def report() -> Report:
    return report_of(["good", "fair", "bad"])


@each_kind
@each_chart
def test_all_data_is_in_one_place(kind: str, name: str) -> None:
    spec = spec_of(kind, name)
    assert set(spec["data"]) == {"values"} and spec["data"]["values"] and "datasets" not in spec
    assert json.dumps({**spec, "data": None}).count('"data":') == 1
    assert "url" not in json.dumps({**spec, "$schema": ""})


@each_kind
@each_chart
def test_each_chart_is_drawn(kind: str, name: str) -> None:
    svg = vl_convert.vegalite_to_svg(spec_of(kind, name))
    assert svg.startswith("<svg") and svg.count("<path") > 2 and "NaN" not in svg and "<script" not in svg


@each_chart
def test_each_chart_is_saved(name: str, tmp_path: Path) -> None:
    chart = DRAW[name](known_report("few"), "BM25", "SVM")
    chart.save(tmp_path / "chart.svg")
    chart.save(tmp_path / "chart.png")
    assert (tmp_path / "chart.svg").read_text().startswith("<svg")
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", HOSTILE)
def test_titles_are_only_shown(name: str) -> None:
    charts_of_it = [
        means_chart([{"ranking": "a", "mean": 1, "low": 0, "high": 2}], name),
        distribution_chart([{"ranking": "a", "value": 1}], name),
        differences_chart([], name, name, "other"),
        scatter_chart([], name, "other", name),
        ndcg_at_k_chart([{"ranking": name, "k": 1, "value": 1}], [name], name, measure=name),
        weights_chart([{"feature": name, "value": 1}], name, name),
    ]
    for chart in charts_of_it:
        assert vl_convert.vegalite_to_svg(chart.to_dict()).startswith("<svg")


def expressions(found: Any) -> set[str]:
    """All that we write for Vega to evaluate."""
    if isinstance(found, list):
        return {each for part in found for each in expressions(part)}
    if not isinstance(found, dict):
        return set()
    evaluated = {
        found[key] for key in ("calculate", "filter", "expr", "labelExpr", "test") if isinstance(found.get(key), str)
    }
    return evaluated | {each for key, part in found.items() if key != "data" for each in expressions(part)}


@each_chart
def test_no_name_is_part_of_an_expression(name: str) -> None:
    """With other names the expressions are the same."""
    assert expressions(spec_of("hostile", name)) == expressions(spec_of("few", name))


def test_a_page_can_make_charts_as_wide_as_their_place_and_fill_in_rows() -> None:
    names = ["a", "b"]
    made = {
        "means": means_chart([], "{measure}"),
        "distribution": distribution_chart([], "{measure}"),
        "differences": differences_chart([], "{measure}", "{first}", "{second}"),
        "scatter": scatter_chart([], "{measure}", "{first}", "{second}"),
        "precision_recall": precision_recall_chart([], names),
        "ndcg_at_k": ndcg_at_k_chart([], [f"run {i}" for i in range(9)]),
    }
    for chart in made.values():
        spec = chart.properties(width="container").to_dict()
        assert spec["data"] == {"values": []} and spec["width"] == "container"
        assert vl_convert.vegalite_to_vega(spec)["marks"]


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("differences", {"cursor": -1, "first": "run 0", "second": "run 1"}),
        ("precision_recall of two", {"first": "run 0", "second": "run 1"}),
        ("ndcg_at_k", {"first": "run 0", "second": "run 1"}),
    ],
)
def test_parameters_of_the_page(name: str, params: dict[str, Any]) -> None:
    spec = spec_of("many", name)
    assert {param["name"]: param["value"] for param in spec["params"]} == params
    assert params.keys() <= {signal["name"] for signal in vl_convert.vegalite_to_vega(spec)["signals"]}


def drawn(spec: dict[str, Any], **params: Any) -> str:
    spec = {**spec, "params": [{**p, "value": params.get(p["name"], p["value"])} for p in spec["params"]]}
    return vl_convert.vegalite_to_svg(spec)


def test_the_cursor_outlines_one_column() -> None:
    spec = spec_of("few", "differences")
    hidden = 'stroke="#777777" stroke-width="1.5" opacity="0"'
    assert [drawn(spec, cursor=at).count(hidden) for at in (-1, 0, 19, 20)] == [20, 19, 19, 20]


@pytest.mark.parametrize(("kind", "names"), [("few", ("BM25", "SVM")), ("many", ("run 3", "run 7"))])
def test_the_two_curves_of_the_parameters_are_drawn_strong(kind: str, names: tuple[str, str]) -> None:
    spec = spec_of(kind, "precision_recall")
    strong = 'stroke-width="3.5"' if kind == "few" else 'stroke-width="3"'
    for first, second in [names, (names[0], ""), ("", "")]:
        assert drawn(spec, first=first, second=second).count(strong) == (first != "") + (second != "")
    legend = drawn(spec, first=names[0], second="")
    assert f">{names[0]}</text>" in legend and (kind == "few" or f">{names[1]}</text>" not in legend)


def test_rows_of_means(report: Report) -> None:
    rows = means_rows(report, "AP")
    assert [row["ranking"] for row in rows] == sorted(report.names, key=lambda name: -report.means["AP"][name].value)
    mean = report.means["AP"]["fair"]
    assert {"ranking": "fair", "mean": mean.value, "low": mean.interval.low, "high": mean.interval.high} in rows


def test_rows_of_distributions(report: Report) -> None:
    rows = distribution_rows(report, AP)
    best = means_rows(report, "AP")[0]["ranking"]
    mine = report.values["AP"][report.names.index(best)].tolist()
    assert rows[:20] == [{"ranking": best, "value": value} for value in mine] and len(rows) == 60


def test_best_rankings_are_drawn_on_top(report: Report) -> None:
    for chart in (plots.means(report, "AP"), plots.distribution(report, "AP")):
        svg = vl_convert.vegalite_to_svg(chart.to_dict())
        places = [svg.index(f">{row['ranking']}</text>") for row in means_rows(report, "AP")]
        assert places == sorted(places)


def test_rows_of_pairs(report: Report) -> None:
    qid = report.qid[3]
    rows = differences_rows(report, "AP", "good", "bad", queries={qid: "its text"})
    assert [row["position"] for row in rows] == list(range(20))
    differences = [row["difference"] for row in rows]
    assert differences == sorted(differences, reverse=True)
    (row,) = [row for row in rows if row["query"] == str(qid)]
    first, second = report.values["AP"][0][3], report.values["AP"][2][3]
    known = {"query": str(qid), "first": first, "second": second, "difference": first - second, "text": "its text"}
    assert row == {**known, "position": row["position"]}
    assert scatter_rows(report, "AP", "good", "bad", queries={qid: "its text"})[3] == known


def test_rounding_errors_are_no_differences(report: Report) -> None:
    values = report.values["AP"].copy()
    values[1] = values[0] * (1 + 1e-15)
    almost = replace(report, values={"AP": values})
    assert {row["difference"] for row in scatter_rows(almost, "AP", "good", "fair")} == {0.0}


def test_a_ranking_that_is_not_there(report: Report) -> None:
    with pytest.raises(InputError, match="there is no ranking 'ugly'; there are good, fair, bad"):
        plots.differences(report, "AP", "good", "ugly")
    for wrong in (["good", "ugly"], ["good", "fair", "bad"], "good"):
        with pytest.raises(InputError, match="highlight takes one or two of good, fair, bad, not"):
            plots.precision_recall(report, highlight=wrong)


def test_rows_of_curves(report: Report) -> None:
    evaluation = report.evaluations["fair"]
    ranking = evaluation.require_ranking()
    precision = [row["precision"] for row in precision_recall_rows(report) if row["ranking"] == "fair"]
    assert precision == interpolated_precision(evaluation).tolist()
    rows = [row for row in ndcg_at_k_rows(report) if row["ranking"] == "fair"]
    longest = np.diff(ranking.queries.offsets).max()
    assert [row["k"] for row in rows] == [k for k in (1, 2, 3, 5, 10, 15, 20, 30) if k <= longest]
    assert [row["value"] for row in rows] == ndcg_at(ranking, [row["k"] for row in rows]).tolist()


def test_curves_agree_with_the_measures_of_the_report() -> None:
    report = report_of(["good", "bad"], ["P@5", "AP(rel=2)", "nDCG(gain=linear)@10"])
    precision = [row["precision"] for row in precision_recall_rows(report) if row["ranking"] == "good"]
    assert precision == interpolated_precision(report.evaluations["good"], AP(rel=2)).tolist()
    (at_10,) = [row for row in ndcg_at_k_rows(report) if row["ranking"] == "good" and row["k"] == 10]
    assert at_10["value"] == pytest.approx(report.means["nDCG(gain=linear)@10"]["good"].value, abs=1e-12)
    assert "nDCG(gain=linear)@k" in json.dumps(plots.ndcg_at_k(report).to_dict())


def test_queries_that_a_ranking_lacks_count_0() -> None:
    grades, scores, qid = [1, 0, 1, 0], [2, 1, 2, 1], [1, 1, 2, 2]
    found = {"all": evaluate(grades, scores, qid, nDCG), "half": evaluate(grades[:2], scores[:2], qid[:2], nDCG)}
    report = compare_all(found, missing="zero", n_resamples=100)
    assert {row["precision"] for row in precision_recall_rows(report) if row["ranking"] == "half"} == {0.5}
    assert {row["value"] for row in ndcg_at_k_rows(report) if row["ranking"] == "half"} == {0.5}


def test_curves_need_the_rankings(report: Report) -> None:
    without = {name: replace(part, ranking=None) for name, part in report.evaluations.items()}
    for draw in (plots.precision_recall, plots.ndcg_at_k):
        with pytest.raises(InputError, match="good: this Evaluation has no ranking to draw a curve of"):
            draw(replace(report, evaluations=without))


def test_of_many_rankings_the_best_and_the_baseline_are_drawn_strong() -> None:
    names = [f"run {i}" for i in range(9)]
    values = [{p["name"]: p["value"] for p in chart.to_dict()["params"]} for chart in (
        plots.ndcg_at_k(report_of(names, baseline="run 5")), plots.ndcg_at_k(report_of(names, baseline="run 0")),
        plots.ndcg_at_k(report_of(names)),
    )]  # fmt: skip
    assert [tuple(pair.values()) for pair in values] == [("run 0", "run 5"), ("run 0", "run 1"), ("run 0", "run 1")]


def model_with(history: dict) -> LinearModel:
    return LinearModel(np.ones(1), provenance=Provenance("SVMRanker", history=history))


def test_rows_of_a_training() -> None:
    history = {"training": [0.5, 0.6], "validation": [None, 0.4], "gap": [float("inf"), 1]}
    rows = training_rows(history)
    assert [tuple(row.values()) for row in rows] == [
        ("training", 1, 0.5),
        ("training", 2, 0.6),
        ("validation", 2, 0.4),
        ("gap", 2, 1.0),
    ]
    assert training_rows(model_with(history)) == rows
    assert training_rows(SimpleNamespace(model_=model_with(history))) == rows


@pytest.mark.parametrize("source", [{}, {"training": [None]}, model_with({}), LinearModel(np.ones(1))])
def test_no_training(source: Any) -> None:
    with pytest.raises(InputError, match="has no training curves; pass a fitted model or learner"):
        plots.training(source)


def panels(history: dict[str, list[float]]) -> list[tuple[list[str], dict[str, Any]]]:
    spec = plots.training(history).to_dict()
    return [(panel["transform"][0]["filter"]["oneOf"], panel["encoding"]["y"]["scale"]) for panel in spec["vconcat"]]


def test_panels_of_a_training() -> None:
    svm = {"objective": [9.0, 2.0], "lower bound": [-7.0, 1.0], "gap": [16.0, 1e-3]}
    assert panels(svm) == [(["objective", "lower bound"], {"zero": False}), (["gap"], {"type": "log"})]
    assert panels({"gap": [1.0, 0.0]}) == [(["gap"], {"zero": False})]
    boosting = {"training": [0.4], "loss": [0.2], "validation": [0.3], "bound": [-5.0]}
    together = ["training", "validation", "bound"]
    assert panels(boosting) == [(together, {"zero": False}), (["loss"], {"zero": False})]


def test_panels_of_boosting() -> None:
    data = make_ranking(10, random_state=0)
    adarank = AdaRank("AP").fit(data.X, data.y, data.qid, eval_set=(data.X, data.y, data.qid))
    assert panels(adarank.model_.provenance.history) == [(["training", "validation", "bound"], {"zero": False})]


def test_a_bound_below_0_is_not_drawn() -> None:
    bounded = {"training": [0.4, 0.4, 0.5], "bound": [-90.0, -0.1, 0.2]}
    assert "−" not in vl_convert.vegalite_to_svg(plots.training(bounded).to_dict())
    assert "−" in vl_convert.vegalite_to_svg(plots.training({"objective": bounded["bound"]}).to_dict())


def test_rows_of_weights() -> None:
    model = LinearModel(np.array([0.5, -2.0, 1.0]), feature_names=("a", "b", "c"))
    rows = [{"feature": "b", "value": -2.0}, {"feature": "c", "value": 1.0}, {"feature": "a", "value": 0.5}]
    for source in (model.importances(), model, SimpleNamespace(model_=model)):
        assert weights_rows(source) == rows
    spec = plots.weights(model, top=2).to_dict()
    assert spec["data"]["values"] == rows[:2] and spec["title"] == "2 of 3 features"
    assert "title" not in plots.weights(model).to_dict()
    with pytest.raises(ModelError, match="SimpleNamespace is neither a model nor a fitted learner"):
        plots.weights(SimpleNamespace())
    with pytest.raises(InputError, match="top must be at least 1, not 0"):
        plots.weights(model, top=0)


def test_rows_of_weight_curves_say_where_each_value_holds() -> None:
    thresholds, values = np.array([1.0, 2.0, 4.0]), np.array([0.0, 3.0, 1.0, 5.0])
    rows = weight_curves_rows({"BM25": Curve(thresholds, values)})
    for score in (0.9, 1.0, 1.5, 2.0, 2.1, 4.0, 4.1):
        within = next(row for before, row in zip(rows, rows[1:], strict=False) if before["x"] < score <= row["x"])
        assert within["value"] == values[np.searchsorted(thresholds, score)]
    assert plots.weight_curves({"BM25": Curve(thresholds, values)}).to_dict()["spec"]["mark"]["interpolate"] == "step-before"


def test_weight_curves_stand_in_the_order_given() -> None:
    names = ["second", "first", "third", "a"]
    svg = vl_convert.vegalite_to_svg(plots.weight_curves(dict.fromkeys(names, PIECES[0])).to_dict())
    places = [svg.index(f">{name}</text>") for name in names]
    assert places == sorted(places)


def test_wrong_weight_curves() -> None:
    with pytest.raises(InputError, match="there is no curve"):
        plots.weight_curves({})
    with pytest.raises(InputError, match="BM25: 1 thresholds go with 2 finite values"):
        plots.weight_curves({"BM25": Curve(np.array([1.0]), np.array([1.0]))})


def test_many_rows_are_no_trouble() -> None:
    rows = [{"ranking": f"run {i % 20}", "value": i / 20_000} for i in range(20_000)]
    chart = distribution_chart(rows, "AP")
    assert isinstance(chart, alt.LayerChart)
    assert len(chart.to_dict()["data"]["values"]) == 20_000


def test_without_altair_one_sentence_says_what_to_install() -> None:
    code = """
import sys
sys.modules["altair"] = None
from directrank import InputError
try:
    import directrank.evaluation.plots
except InputError as error:
    print(error)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    assert out.stdout.strip() == "charts need Altair: pip install 'directrank[report]'"

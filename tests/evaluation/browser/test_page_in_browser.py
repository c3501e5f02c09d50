"""The page of a report in a real browser, from a file and without a network."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from directrank import AdaRank, LambdaMART, SVMRanker, evaluate
from directrank.datasets import make_ranking
from directrank.evaluation.report import Report, compare_all
from directrank.features import ScoreBinner

HOSTILE = "<script>window.broken=1</script><img src=x onerror='window.broken=1'>"
MEASURES = ["AP", "nDCG@10", "RR"]


@pytest.fixture(scope="module")
def data() -> Any:
    return make_ranking(30, random_state=0)


@pytest.fixture(scope="module")
def docno(data: Any) -> list[str]:
    return [f"D{i} {HOSTILE}" if i % 5 == 0 else f"D{i}" for i in range(len(data))]


@pytest.fixture(scope="module")
def report(data: Any, docno: list[str]) -> Report:
    random = np.random.default_rng(0)
    noise = {"bm25": 3.0, HOSTILE: 1.0, "{first} – a.b[c]'d\"": 1.5, "late": 2.0}
    scores = {name: data.y + scale * random.normal(size=len(data)) for name, scale in noise.items()}
    qid = [f"{HOSTILE}{q}" if q == data.qid[0] else f"q{q}" for q in data.qid.tolist()]
    return compare_all({n: evaluate(data.y, s, qid, MEASURES, docno=docno) for n, s in scores.items()}, "bm25")


@pytest.fixture(scope="module")
def models(data: Any) -> dict[str, Any]:
    named = data.X[:, :4]
    svm = SVMRanker("AP", C=1.0).fit(named, data.y, data.qid)
    trees = LambdaMART("AP", n_estimators=5, num_leaves=4).fit(named, data.y, data.qid)
    return {
        "svm": svm.model_.with_feature_names([HOSTILE, "b", "c", "d"]),
        "trees": trees,
        "ada": AdaRank("AP").fit(named, data.y, data.qid),
    }


@pytest.fixture(scope="module")
def file(report: Report, docno: list[str], models: dict[str, Any], data: Any, tmp_path_factory: Any) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    binner = ScoreBinner(5).fit(data.X[:, :2])
    curves = binner.weight_curve(np.arange(sum(t.size for t in binner.thresholds_), dtype=float))
    report.save(
        path,
        title=HOSTILE,
        models=models,
        curves={"svm": dict(zip([HOSTILE, "other"], curves, strict=True))},
        documents=dict.fromkeys(docno, f"Title {HOSTILE}\nText {HOSTILE}"),
        queries={str(qid): f"words of {i} {HOSTILE}" for i, qid in enumerate(report.qid)},
        depth=12,
        command=f"directrank report '{HOSTILE}'",
    )
    return path


def column(page: Any, table: str, number: int) -> list[str]:
    """What a column of a table shows, without marks and intervals."""
    cells = page.locator(f"#{table} tbody tr > :nth-child({number})").all_inner_texts()
    return [cell.split("\n")[0] for cell in cells]


def rankings_in_dialog(page: Any, which: str) -> list[str]:
    """The names of the documents as the drill-down ranks them."""
    shown = page.locator(f"#drilldown .{which} ol.ranking:not(.missed) .document span:first-of-type").all_inner_texts()
    return [name.strip() for name in shown]


def order_of(report: Report, name: str, query: int, depth: int) -> list[str]:
    """The same, in slow and obvious code."""
    ranking = report.evaluations[name].ranking
    assert ranking is not None and ranking.docno is not None
    rows = list(ranking.queries.each())[query]
    ranked = sorted(rows.tolist(), key=lambda row: -ranking.scores[row])
    return [" ".join(ranking.docno[row].split()) for row in ranked[:depth]]


def test_loads_without_a_network_and_says_nothing(file: Path, visit: Callable[..., Any]) -> None:
    window = visit()
    page = window.open(file)
    page.wait_for_selector("#models svg")
    assert window.said == []
    assert window.requests == [file.as_uri()]


def test_nothing_hostile_runs(file: Path, report: Report, visit: Callable[..., Any]) -> None:
    window = visit()
    page = window.open(file)
    assert page.title() == HOSTILE
    page.locator("#query-table button").first.click()
    page.wait_for_selector("#drilldown[open] li")
    page.keyboard.press("Escape")
    page.hover("#differences")
    bar = page.locator("#differences .layer_1_marks path").nth(3)
    bar.hover()
    page.wait_for_selector("#tooltip:not([hidden])")
    assert page.evaluate("window.broken") is None
    assert page.locator("img").count() == 0
    assert HOSTILE in page.locator("#headline").inner_text()
    assert window.said == []


def test_the_policy_lets_nothing_else_run(file: Path, visit: Callable[..., Any]) -> None:
    window = visit()
    page = window.open(file)
    policy = page.locator("meta[http-equiv='Content-Security-Policy']").get_attribute("content")
    assert "default-src 'none'" in policy and "unsafe" not in policy
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.broken = 1'}))"
    )
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.broken = 1\">')")
    page.wait_for_timeout(200)
    assert page.evaluate("window.broken") is None
    assert len(window.said) >= 2  # the browser's own protest


def test_tables_show_the_report_and_sort(file: Path, report: Report, visit: Callable[..., Any]) -> None:
    page = visit().open(file)
    means = [f"{report.means['AP'][name].value:.4f}" for name in report.names]
    shown = [re.sub(r"[a-z]+$", "", cell) for cell in column(page, "headline", 3)]
    assert shown == means
    heading = page.locator("#headline thead button", has_text="AP").first
    heading.click()
    assert [re.sub(r"[a-z]+$", "", cell) for cell in column(page, "headline", 3)] == sorted(means, reverse=True)
    heading.press("Enter")
    assert [re.sub(r"[a-z]+$", "", cell) for cell in column(page, "headline", 3)] == sorted(means)
    assert page.locator("#headline th[aria-sort='ascending']").count() == 1
    tallies = [c for c in (report.comparison("AP", name, "bm25") for name in report.names if name != "bm25") if c]
    assert [t for t in column(page, "detail", 5) if t] == [f"{c.wins} / {c.ties} / {c.losses}" for c in tallies]


def test_choosing_a_measure_changes_everything(file: Path, report: Report, visit: Callable[..., Any]) -> None:
    page = visit().open(file)
    page.select_option("#measure", label="RR")
    page.wait_for_function("document.querySelector('#distribution svg')?.textContent.includes('RR')")
    assert page.locator("#detail-title").inner_text() == "By RR, against bm25"
    assert column(page, "detail", 3) == [f"{report.means['RR'][name].value:.4f}" for name in report.names]
    assert "by RR" in page.locator("#found").inner_text()
    page.locator("#detail thead button", has_text="mean").click()
    page.select_option("#measure", label="AP")
    assert column(page, "detail", 3) == sorted((f"{mean.value:.4f}" for mean in report.means["AP"].values()), reverse=True)


def test_charts_name_the_rankings_best_first(file: Path, report: Report, visit: Callable[..., Any]) -> None:
    page = visit().open(file)
    best_first = sorted(report.names, key=lambda name: -report.means["AP"][name].value)
    for chart in ("means", "distribution"):
        shown = page.locator(f"#{chart} svg .role-axis-label text").all_text_contents()
        ends = [name[-19:] for name in best_first]  # long names lose their middles
        assert [text[-19:] for text in shown if text[-19:] in ends] == ends
    legend = page.locator("#ndcg_at_k svg .role-legend-label text").all_text_contents()
    assert [text[-19:] for text in legend] == [name[-19:] for name in report.names]


def test_the_last_of_quick_choices_is_shown(file: Path, visit: Callable[..., Any]) -> None:
    page = visit().open(file)
    page.evaluate("() => { for (const measure of ['RR', 'AP', 'nDCG@10']) choose({ measure }); }")
    page.evaluate("() => Promise.all(Object.values(drawing))")
    for chart in ("means", "distribution", "differences", "scatter"):
        assert page.locator(f"#{chart} svg").count() == 1
        assert "nDCG@10" in page.locator(f"#{chart} svg").text_content()


def test_a_feature_has_a_line_of_its_own(file: Path, models: dict[str, Any], visit: Callable[..., Any]) -> None:
    page = visit(390, 844).open(file)
    page.wait_for_selector("#model-0-1 svg")
    labels = page.locator("#model-0-1 svg .role-axis-label text").all_text_contents()
    assert set("bcd") <= set(labels)
    assert page.evaluate("[...document.querySelectorAll('#models .chart')].every((c) => c.scrollWidth <= c.clientWidth + 1)")


def test_a_query_from_the_list(file: Path, report: Report, visit: Callable[..., Any]) -> None:
    page = visit().open(file)
    page.select_option("#first", label="late")
    page.select_option("#order", "gains")
    values = report.values["AP"]
    names = report.names
    gains = values[names.index("late")] - values[names.index("bm25")]
    best = int(np.argmax(gains))
    first = page.locator("#query-table button").first
    assert first.inner_text() == str(report.qid[best])
    first.click()
    page.wait_for_selector("#drilldown[open] li")
    assert page.locator("#drilldown .first ol.ranking:not(.missed) li:visible").count() == 10
    for button in page.locator("#drilldown button.more").all()[::-1]:
        button.click()
    titled = page.locator("#drilldown .first ol.ranking:not(.missed) li .document").all_inner_texts()
    for shown, name in zip(titled, order_of(report, "late", best, 12), strict=True):
        assert name in " ".join(shown.split())
    titled = page.locator("#drilldown .second ol.ranking:not(.missed) li .document").all_inner_texts()
    for shown, name in zip(titled, order_of(report, "bm25", best, 12), strict=True):
        assert name in " ".join(shown.split())


def test_grades_are_marked(file: Path, report: Report, visit: Callable[..., Any]) -> None:
    page = visit().open(file)
    page.fill("#search", str(report.qid[4]))
    assert page.locator("#query-table button").count() == 1
    page.locator("#query-table button").click()
    page.wait_for_selector("#drilldown[open] li")
    ranking = report.evaluations["bm25"].ranking
    assert ranking is not None
    rows = list(ranking.queries.each())[4]
    ranked = rows[np.argsort(-ranking.scores[rows])]
    marks = [f"●{int(g)}" if g > 0 else "·" for g in ranking.grades[ranked[:12]]]
    for button in page.locator("#drilldown button.more").all()[::-1]:
        button.click()
    assert page.locator("#drilldown .second ol.ranking:not(.missed) .grade").all_inner_texts() == marks
    missed = sorted((int(g) for g in ranking.grades[ranked[12:]] if g > 0), reverse=True)
    assert page.locator("#drilldown .second ol.missed .grade").all_inner_texts() == [f"●{g}" for g in missed]


def test_a_bar_opens_its_query(file: Path, report: Report, visit: Callable[..., Any]) -> None:
    page = visit().open(file)
    names = report.names
    best = page.locator("#first option:checked").inner_text()
    gains = report.values["AP"][names.index(best)] - report.values["AP"][names.index("bm25")]
    page.locator("#differences .layer_1_marks path").first.click()
    page.wait_for_selector("#drilldown[open]")
    assert page.locator("#drilldown-title").inner_text().startswith(f"Query {report.qid[int(np.argmax(gains))]}")


def test_the_keyboard_alone(file: Path, report: Report, visit: Callable[..., Any]) -> None:
    page = visit().open(file)
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "differences":
            break
    assert page.evaluate("document.activeElement.id") == "differences"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    told = page.locator("#cursor-text").inner_text()
    assert told.startswith("Query ") and "Enter" in told
    page.keyboard.press("Enter")
    page.wait_for_selector("#drilldown[open]")
    title = page.locator("#drilldown-title").inner_text()
    assert title.split("\n")[0] == told.split(": ")[0] or title.startswith(f"Query {HOSTILE[:8]}")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
        page.wait_for_function("(title) => document.getElementById('drilldown-title').innerText !== title", arg=title)
        title = page.locator("#drilldown-title").inner_text()
    page.keyboard.press("Alt+ArrowRight")  # the browser's own
    assert page.locator("#drilldown-title").inner_text() == title
    page.keyboard.press("Escape")
    page.wait_for_selector("#drilldown:not([open])", state="attached")
    assert page.evaluate("document.activeElement.id") == "differences"


def test_phone(file: Path, visit: Callable[..., Any]) -> None:
    page = visit(390, 844, has_touch=True, is_mobile=True).open(file)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator("#query-table button").first.tap()
    page.wait_for_selector("#drilldown[open] li")
    assert page.evaluate("document.getElementById('drilldown').scrollWidth <= innerWidth")


def test_on_a_phone_no_figure_of_the_summary_is_cut(file: Path, report: Report, visit: Callable[..., Any]) -> None:
    page = visit(390, 844, has_touch=True, is_mobile=True).open(file)
    for table in ("headline", "detail"):
        box = page.locator(f"#{table}").evaluate("e => [e.parentElement.scrollWidth, e.parentElement.clientWidth]")
        assert box[0] <= box[1], table
    cells = page.locator("#headline tbody tr").first.locator("td[data-label]")
    assert cells.evaluate_all("cells => cells.map((cell) => cell.dataset.label)") == report.measures
    assert all(cell.bounding_box()["x"] + cell.bounding_box()["width"] <= 390 for cell in cells.all())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_read(file: Path, visit: Callable[..., Any], scheme: str) -> None:
    page = visit(color_scheme=scheme).open(file)
    colours = page.evaluate(
        """() => ["--paper", "--raised", "--ink", "--muted", "--accent", "--mark", "--relevant", "--first", "--second"].map(
            (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim())"""
    )
    paper, raised, ink, muted, accent, mark, relevant, first, second = map(luminance, colours)
    assert (paper > 0.5) == (scheme == "light")
    for ground in (paper, raised):
        assert contrast(ink, ground) >= 7 and contrast(muted, ground) >= 4.5 and contrast(accent, ground) >= 4.5
    assert contrast(mark, relevant) >= 4.5 and contrast(ink, relevant) >= 7
    assert contrast(first, paper) >= 3 and contrast(second, paper) >= 3  # as WCAG asks of graphics


def luminance(colour: str) -> float:
    """Relative luminance as WCAG defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: float, other: float) -> float:
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def test_printed(file: Path, visit: Callable[..., Any], tmp_path: Path) -> None:
    page = visit(color_scheme="dark").open(file)
    page.emulate_media(media="print")
    assert not page.locator("#choices").is_visible()
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--paper').trim()") == "#fff"
    assert page.locator("#means svg text").first.evaluate("(text) => getComputedStyle(text).fill") == "rgb(0, 0, 0)"
    assert page.pdf()[:4] == b"%PDF"
    page.evaluate("openQuery(0)")
    page.wait_for_selector("#drilldown[open]")
    assert not page.locator("#main").is_visible()


def test_a_report_of_values_alone(report: Report, visit: Callable[..., Any], tmp_path: Path) -> None:
    from dataclasses import replace

    bare = {name: replace(evaluation, ranking=None) for name, evaluation in report.evaluations.items()}
    compare_all(bare, measures="AP").save(tmp_path / "bare.html")
    window = visit()
    page = window.open(tmp_path / "bare.html")
    assert not page.locator("#curves").is_visible() and not page.locator("#models").is_visible()
    page.locator("#query-table button").first.click()
    assert "no rankings" in page.locator("#drilldown").inner_text()
    assert window.said == []

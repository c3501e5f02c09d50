"""Comparing any number of rankings, and the report in its text formats."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from directrank import Evaluation, InputError, Qrels, Report, Run, compare, compare_all, evaluate, evaluate_run
from directrank.evaluation.report.text_formats import raised

QUERIES = [f"q{i}" for i in range(30)]
HOSTILE = ["<script>alert(1)</script>", "a|b", "a&b_c%", "{x}$^2$\\#~", "two\nlines *b* `c`"]


def evaluation(values: object, qid: object = None, measure: str = "AP") -> Evaluation:
    values = np.asarray(values, float)
    return Evaluation(np.array(QUERIES[: values.size] if qid is None else qid), {measure: values}, {measure: 0})


@pytest.fixture
def three() -> dict[str, Evaluation]:
    """One that is much better than the two others, which are alike."""
    random = np.random.default_rng(0)
    low = random.random(30) / 2
    return {"good": evaluation(low + 0.4), "fair": evaluation(low + random.normal(0, 0.01, 30)), "poor": evaluation(low)}


def test_queries_are_matched_in_any_order_and_type(three: dict[str, Evaluation]) -> None:
    order = np.random.default_rng(1).permutation(30)
    numbered = {name: evaluation(each.values("AP"), np.arange(30)) for name, each in three.items()}
    wanted = compare_all(numbered, "poor")
    numbered["fair"] = evaluation(three["fair"].values("AP")[order], np.arange(30)[order].astype(str))
    found = compare_all(numbered, "poor")
    assert found.qid == wanted.qid and found.comparisons == wanted.comparisons and found.means == wanted.means
    assert found.positions["fair"].tolist() == np.argsort(order).tolist()
    np.testing.assert_array_equal(found.values["AP"], wanted.values["AP"])


def test_different_tie_rules_are_an_error() -> None:
    given = {"y": [1, 0], "scores": [1.0, 1.0], "measures": ["AP"], "docno": ["a", "b"]}
    both = {"broken": evaluate(**given, ties="trec"), "averaged": evaluate(**given)}
    sentence = "equal scores were ranked in different ways for AP: broken in trec_eval's order, averaged averaged over all"
    with pytest.raises(InputError, match=sentence):
        compare_all(both)
    assert compare_all({"broken": both["broken"], "by hand": evaluation([0.5], [0])}, missing="zero").ties == {}


def test_queries_that_are_missing(three: dict[str, Evaluation]) -> None:
    three["fair"] = evaluation(three["fair"].values("AP")[3:-4], QUERIES[3:-4])
    wanted = r"fair lacks 7 of the 30 queries \(q0, q1, q2, q26, q27, …\); compare rankings of the same queries"
    with pytest.raises(InputError, match=wanted):
        compare_all(three)
    report = compare_all(three, missing="zero")
    assert report.missing == {"good": 0, "fair": 7, "poor": 0} and report.positions["fair"][0] == -1
    assert report.values["AP"][1, [0, 1, 2, 26, 27, 28, 29]].tolist() == [0] * 7
    assert report.means["AP"]["fair"].value == pytest.approx(three["fair"].values("AP").sum() / 30)
    assert "fair lacks 7 of them, which count 0." in report.sentences() and "good lacks" not in str(report)


def test_judged_queries_that_a_run_lacks_are_said() -> None:
    qrels = Qrels(["1", "2", "3"], ["a", "a", "a"], [1, 1, 1])
    whole, part = (evaluate_run(Run(qid, ["a"] * len(qid), [1.0] * len(qid)), qrels) for qid in (["1", "2", "3"], ["2"]))
    with pytest.raises(InputError, match="part lacks 2 of the 3 queries; compare rankings of the same queries"):
        compare_all({"whole": whole, "part": part})
    report = compare_all({"whole": whole, "part": part}, missing="zero")
    assert report.missing == {"whole": 0, "part": 2} and "part lacks 2 of them, which count 0." in report.sentences()


def test_all_pairs_or_a_baseline(three: dict[str, Evaluation]) -> None:
    pairs, against = compare_all(three), compare_all(three, "good")
    assert list(pairs.comparisons["AP"]) == list(combinations(three, 2)) and pairs.differences["AP"] == {}
    assert list(against.comparisons["AP"]) == [("fair", "good"), ("poor", "good")]
    assert list(against.differences["AP"]) == ["fair", "poor"]
    assert against.comparison("AP", "fair", "poor") is None
    there, back = against.comparison("MAP", "fair", "good"), against.comparison("AP", "good", "fair")
    assert there is not None and back == there.reversed() and back.wins == there.losses == 30
    for report in (pairs, against):
        assert report.significantly_below("AP", "good") == ["fair", "poor"]
        assert report.significantly_below("AP", "poor") == []


def test_two_rankings_as_compare_does(three: dict[str, Evaluation]) -> None:
    for first, second in combinations(three, 2):
        found = compare_all({first: three[first], second: three[second]}).comparison("AP", first, second)
        wanted = compare(three[first], three[second], "AP")
        assert found is not None and found.p == pytest.approx(wanted.p) and found.corrected_p == found.p
        assert (found.wins, found.ties, found.losses) == (wanted.wins, wanted.ties, wanted.losses)
        assert found.difference == pytest.approx(wanted.difference)


@settings(max_examples=20)
@given(st.permutations(["good", "fair", "poor"]), st.sampled_from([None, "fair"]))
def test_the_order_of_the_rankings_does_not_matter(order: list[str], baseline: str | None) -> None:
    low = np.random.default_rng(0).random((3, 30)) + [[0.2], [0.1], [0.0]]
    given = {name: evaluation(values) for name, values in zip(("good", "fair", "poor"), low, strict=True)}
    wanted, found = compare_all(given, baseline), compare_all({name: given[name] for name in order}, baseline)
    assert found.best("AP") == wanted.best("AP")
    for name in given:
        assert found.means["AP"][name].value == pytest.approx(wanted.means["AP"][name].value)
        assert set(found.significantly_below("AP", name)) == set(wanted.significantly_below("AP", name))
        for other in set(given) - {name}:
            one, two = found.comparison("AP", name, other), wanted.comparison("AP", name, other)
            assert (one is None) == (two is None)
            if one is not None and two is not None:
                assert (one.p, one.corrected_p, one.difference) == pytest.approx((two.p, two.corrected_p, two.difference))


@pytest.mark.parametrize(
    ("n_rankings", "first", "last", "marks"), [(25, "a", "z", "b-y"), (26, "1", "26", "2-25"), (703, "1", "703", "2-702")]
)
def test_signs_of_many_rankings(n_rankings: int, first: str, last: str, marks: str) -> None:
    values = np.random.default_rng(0).random(30)
    many = {f"r{i}": evaluation(values + (i == 0) + (i == n_rankings - 1)) for i in range(n_rankings)}
    report = compare_all(many, "r0", n_resamples=100)
    signs = list(report.letters.values())
    assert len(set(signs)) == n_rankings and [signs[0], signs[-1]] == [first, last] and "q" not in signs
    assert f"{'Letters' if first == 'a' else 'Numbers'}: significantly better" in str(report)
    assert report.to_markdown().splitlines()[2].endswith(f"<sup>{marks}</sup> |")
    assert report.to_latex().splitlines()[9].endswith(rf"\textsuperscript{{\textit{{{marks.replace('-', '--')}}}}} \\")
    assert not set("^q") & set(raised("".join(signs)))


@pytest.mark.parametrize(
    ("lower", "marks"), [("bcd", "bcd"), ("bcde", "b-e"), ("bcdeg", "b-e, g"), ("bdfh", "bdfh"), ("ghij", "g-j")]
)
def test_neighbouring_letters_are_a_range(lower: str, marks: str) -> None:
    values = np.random.default_rng(0).random(30)
    report = compare_all({name: evaluation(values - (name in lower)) for name in "abcdefghij"}, "a", n_resamples=100)
    assert report.to_markdown().splitlines()[2].endswith(f"** <sup>{marks}</sup> |")


def test_the_best_to_the_digits_that_are_shown() -> None:
    values = np.linspace(0.1, 0.9, 30)
    report = compare_all({"a": evaluation(values), "b": evaluation(values + 1e-6), "c": evaluation(values - 0.01)})
    assert report.best("AP") == ["a", "b"] and report.to_markdown().count("**0.5000**") == 2


def test_measures_are_chosen_and_must_be_there(three: dict[str, Evaluation]) -> None:
    grades, scores, qid = [1, 0, 0, 1], [4, 2, 1, 3], [1, 1, 2, 2]
    both = {name: evaluate(grades, scores, qid, ["AP", "RR"]) for name in "xy"}
    assert compare_all(both).measures == ["AP", "RR"]
    assert compare_all(both, measures="rr").measures == compare_all(both, measures=["RR"]).measures == ["RR"]
    with pytest.raises(InputError, match="good was not evaluated by RR; evaluate all rankings by the same measures"):
        compare_all({**both, **three}, missing="zero")
    with pytest.raises(InputError, match=r"^nDCG was not compared; there are AP, RR"):
        compare_all(both).best("nDCG")


def test_invalid_arguments(three: dict[str, Evaluation]) -> None:
    with pytest.raises(InputError, match="there is one ranking; to compare takes two or more"):
        compare_all({"good": three["good"]})
    with pytest.raises(InputError, match="there is no ranking 'best' to be the baseline; there are good, fair, poor"):
        compare_all(three, "best")
    with pytest.raises(InputError, match="alpha must lie between 0 and 1, not 1"):
        compare_all(three, alpha=1)
    with pytest.raises(InputError, match="takes a dict"):
        compare_all(list(three.values()))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="missing must be 'error' or 'zero', not 'drop'"):
        compare_all(three, missing="drop")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="odd: AP of query q1 is not a finite number"):
        compare_all({"odd": evaluation([0, np.nan]), "even": evaluation([0, 1])})
    with pytest.raises(InputError, match="the name of a ranking must be a string, not 10"):
        compare_all({10: three["good"], 20: three["fair"]})  # type: ignore[dict-item]
    with pytest.raises(InputError, match="the rankings have no queries"):
        compare_all({"good": evaluation([]), "fair": evaluation([])})


@pytest.fixture
def hostile() -> Report:
    random = np.random.default_rng(0)
    return compare_all({name: evaluation(random.random(30) + 2 * (i == 4)) for i, name in enumerate(HOSTILE)}, HOSTILE[0])


def test_hostile_names_in_html(hostile: Report) -> None:
    tags: list[str] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: tags.append(tag)  # type: ignore[method-assign]
    parser.feed(hostile._repr_html_())
    assert set(tags) == {"table", "thead", "tbody", "tr", "th", "td", "b", "sup", "p"}
    assert tags.count("tr") == 6 and tags.count("td") == 15


def test_hostile_names_in_markdown(hostile: Report) -> None:
    lines = hostile.to_markdown().splitlines()
    assert len(lines) == 2 + len(HOSTILE) + 2  # the foot after an empty line
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines[:7]]
    assert {len(line) for line in cells} == {3}
    assert [re.sub(r"\\(.)", r"\1", line[1].strip()) for line in cells[2:]] == [" ".join(name.split()) for name in HOSTILE]
    assert not re.search(r"(?<!\\)<(?!/?sup>)", hostile.to_markdown())
    by_odd = {name: evaluation([0.5, 0.6], measure="my|own") for name in ("a", "b")}
    assert compare_all(by_odd).to_markdown().startswith(r"|  | ranking | my\|own |")


def test_hostile_names_in_latex(hostile: Report) -> None:
    out = hostile.to_latex()
    body = out[out.index(r"\midrule") : out.index(r"\bottomrule")].splitlines()[1:]
    assert len(body) == len(HOSTILE)
    for line in body:
        assert len(re.findall(r"(?<!\\)&", line)) == 2 and not re.search(r"(?<!\\)[%#_~]", line)
    assert r"a\textbar{}b" in out  # in LaTeX's oldest encoding | prints a dash
    assert r"a\&b\_c\%" in out and r"\{x\}\$\textasciicircum{}2\$\textbackslash{}\#\textasciitilde{}" in out
    plain = re.sub(r"\\[{}]", "", out)
    assert plain.count("{") == plain.count("}")


def test_hostile_names_in_csv_and_json(hostile: Report) -> None:
    assert [line["ranking"] for line in csv.DictReader(io.StringIO(hostile.to_csv()))] == HOSTILE
    content = json.loads(hostile.to_json())
    assert content["rankings"] == HOSTILE and content["baseline"] == HOSTILE[0]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\uff1d1", '=HYPERLINK("x";"y")'])
def test_a_name_in_csv_is_no_formula(name: str) -> None:
    values = np.linspace(0, 1, 30)
    evaluations = {key: evaluation(values * part) for key, part in ((name, 1.0), ("b", -0.5))}
    first, second = csv.DictReader(io.StringIO(compare_all(evaluations, "b").to_csv(), newline=""))
    assert first["ranking"] == "'" + name.replace("\r", " ") and second["ranking"] == "b"
    assert float(second["mean"]) < 0 and second["mean"].startswith("-")  # numbers stay numbers
    assert first["better_than"] == "b" and second["measure"] == "AP"


def test_json_holds_everything(three: dict[str, Evaluation]) -> None:
    report = compare_all(three, "poor")
    content = json.loads(report.to_json())
    assert content["queries"] == QUERIES and content["method"]["test"] == "randomisation"
    assert content["values"]["AP"]["good"] == report.values["AP"][0].tolist()
    assert [(pair["first"], pair["second"]) for pair in content["comparisons"]] == [("good", "poor"), ("fair", "poor")]
    assert content["comparisons"][0]["wins"] == 30 and content["means"][2]["p"] is None


def test_frames_have_a_row_for_each_ranking_and_measure(three: dict[str, Evaluation]) -> None:
    means = ["ranking", "measure", "mean", "mean_low", "mean_high", "better_than"]
    compared = ["difference", "difference_low", "difference_high", "wins", "ties", "losses"]
    compared += ["effect_size", "p", "corrected_p"]
    frame = compare_all(three).to_frame()
    assert list(frame.columns) == means and frame["ranking"].tolist() == ["good", "fair", "poor"]
    assert frame["better_than"].tolist() == [["fair", "poor"], [], []]
    frame = compare_all(three, "poor").to_frame().set_index("ranking")
    assert list(frame.columns) == [*means[1:], *compared]
    assert frame.loc["good", "wins"] == 30 and frame.loc["good", "difference"] == pytest.approx(0.4)
    assert frame.loc["poor", compared].isna().all()
    assert (frame["mean_low"] <= frame["mean"]).all() and (frame["mean"] <= frame["mean_high"]).all()


def test_text_shows_intervals_where_it_explains_them(three: dict[str, Evaluation]) -> None:
    with_baseline, without = compare_all(three, "poor"), compare_all(three)
    assert "95 % interval" in str(with_baseline) and "bootstrap" in str(with_baseline) and "ᶜ" in str(with_baseline)
    assert "against poor" in repr(with_baseline) and "all pairs" in repr(without)
    for out in (str(without), with_baseline.to_latex(), with_baseline.to_markdown(), with_baseline._repr_html_()):
        assert "interval" not in out and "randomisation test with all or 100,000 permutations" in out


def test_text_has_a_line_for_each_ranking(hostile: Report) -> None:
    lines = str(hostile).splitlines()
    assert [line[:1] for line in lines[1:6]] == list("abcde") and "two lines *b* `c`" in lines[5]


def test_one_query_and_one_that_is_missing() -> None:
    single = compare_all({"a": evaluation([0.5]), "b": evaluation([0.6])})
    assert single.sentences()[0] == "Values of a single query."
    missing = compare_all({"a": evaluation([0.5]), "b": evaluation([0.6, 0.7])}, missing="zero")
    assert "a lacks 1 of them, which counts 0." in missing.sentences()


def test_the_order_of_queries_changes_nothing() -> None:
    random = np.random.default_rng(0)
    values, order = random.random((3, 60)), random.permutation(60)
    names = [f"q{i}" for i in range(60)]

    def report_in(order: np.ndarray) -> Report:
        qid = np.array(names)[order]
        return compare_all(
            {n: Evaluation(qid, {"AP": v[order]}, {"AP": 0}) for n, v in zip("abc", values, strict=True)}, "a"
        )

    one, other = report_in(np.arange(60)), report_in(order)
    assert one.comparisons == other.comparisons and one.means == other.means and one.differences == other.differences

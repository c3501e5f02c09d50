"""Features that search engines logged, read from their responses and joined with judgments."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from directrank import EngineLog, InputError, LambdaMART, Qrels, RankSVM, join_log, read_engine_log
from directrank.data import InputWarning
from directrank.data.formats.engine_logs import logged_hits
from directrank.data.formats.engine_logs.json_values import json_values

Features = dict[str, float | None]

ELASTICSEARCH = r"""{"took": 6, "timed_out": false, "_shards": {"total": 2, "successful": 2, "skipped": 0, "failed": 0},
"hits": {"total": {"value": 2, "relation": "eq"}, "max_score": 0.0, "hits": [
{"_index": "films", "_type": "_doc", "_id": "603", "_score": 0.0, "_source": {"title": "Neon \u0026 Rain"},
 "fields": {"_ltrlog": [{"main": [
  {"name": "title_bm25", "value": 7.204115}, {"name": "overview_bm25", "value": 3.1}, {"name": "votes", "value": 8}]}]},
 "matched_queries": ["logged"]},
{"_index": "films", "_type": "_doc", "_id": "78", "_score": 0.0, "fields": {"_ltrlog": [
  {"main": [{"name": "title_bm25"}, {"name": "overview_bm25", "value": 0.5}, {"name": "votes", "value": 7.5},
            {"name": "extra_logging", "value": {"terms": 2}}]}]}, "matched_queries": ["logged"]}]}}"""

SOLR = r"""{"responseHeader": {"zkConnected": true, "status": 0, "QTime": 4, "params": {"q": "neon", "fl": "id,[features]"}},
"response": {"numFound": 2, "start": 0, "maxScore": 1.9, "numFoundExact": true, "docs": [
  {"id": "603", "qid": "7", "[features]": "titleBM25=7.204115,isNew=0.0,votes=1.2E7"},
  {"id": "78", "qid": "7", "[features]": "titleBM25=0.0,isNew=1.0,votes=NaN"}]}}"""

SOLR_CSV = '''id,qid,score,fv
603,7,1.9,"titleBM25=7.204115,votes=8.5"
78,7,1.2,isNew=1.0
"odd, ""quoted""",7,1.1,"titleBM25=1.0,isNew=1.0,votes=2.0"
id,qid,score,fv
603,8,1.0,titleBM25=2.0
'''


def with_qid(response: str, qid: Any) -> dict[str, Any]:
    return json.loads(response) | {"qid": qid}


def elasticsearch(qid: Any, hits: dict[str, Features], name: str = "main") -> dict[str, Any]:
    def entry(feature: str, value: float | None) -> dict[str, Any]:
        return {"name": feature} if value is None else {"name": feature, "value": value}

    listed = [
        {"_id": docno, "fields": {"_ltrlog": [{name: [entry(*pair) for pair in features.items()]}]}}
        for docno, features in hits.items()
    ]
    return {"qid": qid, "timed_out": False, "_shards": {"failed": 0}, "hits": {"hits": listed}}


def vector(features: Features) -> str:
    return ",".join(f"{name}={value!r}" for name, value in features.items() if value is not None)


def solr(qid: Any, documents: dict[str, Features]) -> dict[str, Any]:
    docs = [{"id": docno, "qid": qid, "fv": vector(features)} for docno, features in documents.items()]
    return {"responseHeader": {"status": 0}, "response": {"docs": docs}}


def lines(*responses: Any) -> str:
    return "".join(json.dumps(response) + "\n" for response in responses)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


def rows(log: EngineLog) -> dict[tuple[str, str], list[float]]:
    return dict(zip(zip(log.qid.tolist(), log.docno.tolist(), strict=True), log.X.tolist(), strict=True))


def single(*values: float) -> list[float]:
    return np.array(values, np.float32).tolist()


def test_elasticsearch_logs(file: Path) -> None:
    file.write_text(lines(with_qid(ELASTICSEARCH, 7), with_qid(ELASTICSEARCH, "8")))
    log = read_engine_log(file)
    assert log.engine == "Elasticsearch" and log.n_left_out.tolist() == [0, 1, 0, 1] and log.X.dtype == np.float32
    assert log.feature_names == ["title_bm25", "overview_bm25", "votes"]
    assert list(rows(log)) == [("7", "603"), ("7", "78"), ("8", "603"), ("8", "78")]
    np.testing.assert_array_equal(log.X[:2], np.array([[7.204115, 3.1, 8], [np.nan, 0.5, 7.5]], np.float32))
    assert rows(read_engine_log(file, missing=0))["8", "78"] == [0, 0.5, 7.5]


def test_responses_laid_out_over_several_lines(file: Path) -> None:
    content = json.dumps(with_qid(ELASTICSEARCH, 7), indent=2) + "\n" + json.dumps(with_qid(ELASTICSEARCH, 8), indent=2)
    file.write_text("\n" + content)
    assert {qid for qid, _ in rows(read_engine_log(file))} == {"7", "8"}
    second = content.index("\n{") + 2
    lacks_comma = content[:second] + content[second:].replace('"relation": "eq"', '"relation" "eq"', 1)
    file.write_text("\n" + lacks_comma)
    start, wrong = content.count("\n", 0, second) + 2, lacks_comma.count("\n", 0, lacks_comma.index('" "eq"')) + 2
    with pytest.raises(
        InputError,
        match=rf"log\.jsonl:{start}: not valid JSON \(Expecting ':' delimiter in line {wrong}\); log this query again",
    ):
        read_engine_log(file)


def counted(text: str, taken: list[str]) -> Iterator[str]:
    """The lines of a text; those that were taken of them."""
    for line in text.splitlines(keepends=True):
        taken.append(line)
        yield line


def test_values_are_read_one_by_one() -> None:
    response = json.dumps(with_qid(ELASTICSEARCH, 7), indent=2) + "\n"
    taken: list[str] = []
    for number, (value, line) in enumerate(json_values(counted(response * 5, taken), 1, "x"), 1):
        assert value["qid"] == 7 and line == response.count("\n") * (number - 1) + 1
        assert len(taken) == response.count("\n") * number


@pytest.mark.parametrize("broken", ['{"qid": 7, "hits":\n', '{"qid": 7\n', '{"qid" "7"}\n'])
def test_after_a_broken_line_little_is_read(broken: str) -> None:
    taken: list[str] = []
    with pytest.raises(InputError, match=r"x:1: not valid JSON"):
        list(json_values(counted(broken + lines({"long": "x" * 1000}) * 5000, taken), 1, "x"))
    assert len(taken) < 1500


JSON = st.recursive(
    st.sampled_from([1, "a", "}\n", None]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)
WRITTEN = st.builds(
    lambda value, indent, end: json.dumps({"v": value}, indent=indent) + end,
    JSON,
    st.sampled_from([None, 0, 1]),
    st.sampled_from(["", "\n", " \n\n"]),
)


@given(st.lists(WRITTEN, max_size=4).map("".join), st.none() | st.integers(0, 99), st.integers(1, 64))
def test_values_equal_those_of_the_whole_text(text: str, left_out: int | None, many: int) -> None:
    if left_out is not None:
        text = text[:left_out] + text[left_out + 1 :]
    whole, at = [], 0
    try:
        while at < len(text.rstrip()):
            at += len(text[at:]) - len(text[at:].lstrip())
            value, end = json.JSONDecoder().raw_decode(text, at)
            whole.append((value, text.count("\n", 0, at) + 1))
            at = end
        expected = None
    except json.JSONDecodeError as error:
        expected = f"x:{text.count(chr(10), 0, at) + 1}: not valid JSON ({error.msg}"
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("directrank.data.formats.engine_logs.json_values._TRY_SIZE", many)
        try:
            found.extend(json_values(iter(text.splitlines(keepends=True)), 1, "x"))
        except InputError as error:
            assert expected is not None and str(error).startswith(expected)
        else:
            assert expected is None
    assert found == whole


def test_responses_that_follow_one_another_in_a_line(file: Path) -> None:
    file.write_text((lines(elasticsearch(1, {"a": {"x": 1.0}}), elasticsearch(2, {"a": {"x": 2.0}})) * 2).replace("\n", ""))
    assert rows(read_engine_log(file)) == {("1", "a"): [1], ("2", "a"): [2]}


def test_csv_whose_first_field_is_in_brackets(file: Path) -> None:
    file.write_text("[features],id,qid\nx=1.5,a,7\n")
    assert rows(read_engine_log(file)) == {("7", "a"): [1.5]}


@pytest.mark.parametrize("features", ["a:1.0;c:2", "a:1.0|c:2", "a=1.0;b=2.0", "a=1.0 b=2.0", "a=1.0, c=2", "a:1,b:2"])
def test_other_separators_of_solr_are_rejected(file: Path, features: str) -> None:
    file.write_text(document(fv=features))
    with pytest.raises(
        InputError, match=r"document a of query 7 has a feature named '.*csvFeatureSeparator\), are not read"
    ):
        read_engine_log(file)


def test_layouts_do_not_fill_the_memory() -> None:
    collector = logged_hits.HitCollector()
    for i in range(1000):
        collector.add(logged_hits.LoggedHit("1", f"d{i}", (f"x{i}",), [1.0]), "here")
    assert len(collector._layouts) <= 256
    np.testing.assert_array_equal(collector.matrix(0.0), np.eye(1000))


def test_msearch_has_a_list_of_query_ids(file: Path) -> None:
    searches = [json.loads(ELASTICSEARCH), json.loads(ELASTICSEARCH)]
    file.write_text(lines({"took": 9, "responses": searches, "qid": ["a", 8]}))
    assert list(rows(read_engine_log(file))) == [("a", "603"), ("a", "78"), ("8", "603"), ("8", "78")]
    for qid in (None, "a", ["a"]):
        file.write_text(lines({"took": 9, "responses": searches, "qid": qid}))
        with pytest.raises(
            InputError, match=r"log.jsonl:1: the response of _msearch needs a list of 2 query ids, in the order"
        ):
            read_engine_log(file)
    searches[1] = {"error": {"type": "index_not_found_exception", "reason": "no such index [films]"}, "status": 404}
    file.write_text(lines({"took": 9, "responses": searches, "qid": ["a", "b"]}))
    with pytest.raises(InputError, match=r"log.jsonl:1: search 2: the search failed, 'no such index \[films\]'; log this"):
        read_engine_log(file)


def test_one_of_several_logs(file: Path) -> None:
    response = elasticsearch(1, {"a": {"x": 1.0}})
    response["hits"]["hits"][0]["fields"]["_ltrlog"][0]["next"] = [{"name": "y", "value": 2.0}]
    file.write_text(lines(response))
    with pytest.raises(InputError, match=r"document a of query 1 has several logs, 'main', 'next'; choose one with log"):
        read_engine_log(file)
    assert read_engine_log(file, log="next").feature_names == ["y"]
    with pytest.raises(InputError, match=r"has no log named 'z', only 'main', 'next'; choose one of these"):
        read_engine_log(file, log="z")


def test_solr_logs(file: Path) -> None:
    file.write_text(SOLR)
    log = read_engine_log(file)
    assert log.engine == "Solr" and log.feature_names == ["titleBM25", "isNew", "votes"]
    np.testing.assert_array_equal(log.X, np.array([[7.204115, 0, 1.2e7], [0, 1, np.nan]], np.float32))
    assert log.n_left_out.tolist() == [0, 0] and log.n_nan.tolist() == [0, 1]
    assert read_engine_log(file, missing=-1).X[1, 2] == -1
    file.write_text(SOLR.replace('"qid": "7", ', "")[:-1] + ', "qid": 9}')
    assert list(rows(read_engine_log(file))) == [("9", "603"), ("9", "78")]


def test_csv_of_solr(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    file.write_text("\ufeff\n" + SOLR_CSV.replace("\n", "\r\n"))
    log = read_engine_log(file)
    assert log.feature_names == ["titleBM25", "votes", "isNew"]
    assert log.n_left_out.tolist() == [1, 2, 0, 2] and log.n_nan.tolist() == [0, 0, 0, 0]
    assert rows(log) == {
        ("7", "603"): single(7.204115, 8.5, 0),
        ("7", "78"): [0, 0, 1],
        ("7", 'odd, "quoted"'): [1, 2, 1],
        ("8", "603"): [2, 0, 0],
    }
    np.testing.assert_array_equal(np.isnan(read_engine_log(file, missing=np.nan).X).sum(axis=0), [1, 2, 2])


def test_separators_of_solrs_example(file: Path) -> None:
    file.write_text(SOLR.replace("=", ":").replace(",isNew", " isNew").replace(",votes", " votes"))
    np.testing.assert_array_equal(read_engine_log(file).X[0], np.array([7.204115, 0, 1.2e7], np.float32))


def test_a_field_of_another_name(file: Path) -> None:
    file.write_text(SOLR.replace("[features]", "mine"))
    assert read_engine_log(file, log="mine").feature_names == ["titleBM25", "isNew", "votes"]
    with pytest.raises(
        InputError, match=r"log.jsonl:1: document 603 of query 7 has no \[features\] or fv; add fv:\[features"
    ):
        read_engine_log(file)
    file.write_text(SOLR.replace('"qid"', '"fv": "", "qid"'))
    with pytest.raises(InputError, match=r"document 603 of query 7 has several logs, \[features\] and fv; choose one"):
        read_engine_log(file)


def test_a_document_without_any_feature_is_warned_of(file: Path) -> None:
    file.write_text(lines(solr("1", {"a": {}, "b": {"x": 2.0}, "c": {}, "d": {}})))
    with pytest.warns(InputWarning, match=r"log.jsonl:1: document a of query 1 has no feature at all, nor have 2 other doc"):
        assert read_engine_log(file).X.ravel().tolist() == [0, 2, 0, 0]


def test_features_are_united_by_name_over_all_files(tmp_path: Path) -> None:
    (tmp_path / "1").write_text(lines(elasticsearch(1, {"a": {"x": 1.0}, "b": {"y": 2.0, "x": None}})))
    (tmp_path / "2.gz").write_bytes(gzip.compress(lines(elasticsearch(2, {"a": {"z": 3.0, "y": 4.0}})).encode()))
    log = read_engine_log([tmp_path / "1", tmp_path / "2.gz"], missing=-1)
    assert log.feature_names == ["x", "y", "z"]
    assert rows(log) == {("1", "a"): [1, -1, -1], ("1", "b"): [-1, 2, -1], ("2", "a"): [-1, 4, 3]}


def test_a_document_twice_in_a_query(file: Path) -> None:
    once, again = (
        elasticsearch(1, {"a": {"x": 1.0, "y": None}}),
        elasticsearch(1, {"a": {"y": None, "x": 1.0}, "b": {"x": 2.0}}),
    )
    file.write_text(lines(once, again))
    assert list(rows(read_engine_log(file))) == [("1", "a"), ("1", "b")]
    for features, name, value, before in (
        ({"x": 1.5, "y": None}, "x", "1.5", "1.0"),
        ({"x": 1.0, "y": 0.0}, "y", "0.0", "nan"),
        ({"z": 2.0, "x": 10**400}, "x", r"1000.*\.\.\.", "1.0"),
    ):
        file.write_text(lines(once, elasticsearch(1, {"a": features})))
        with pytest.raises(
            InputError,
            match=rf":2: document a of query 1 has the feature '{name}' with the value {value}, and {before} at "
            r"\S+log.jsonl:1; keep one",
        ):
            read_engine_log(file)


def test_features_of_several_passes_are_united(file: Path) -> None:
    passes = [{"a": {"x": 1.0}, "b": {}}, {"b": {"y": 2.0}, "a": {"y": 3.0}}, {"a": {"z": 4.0, "x": 1.0}}]
    file.write_text(lines(*(elasticsearch(1, documents) for documents in passes)))
    log = read_engine_log(file, missing=0)  # no warning: b has a feature in the end
    assert log.feature_names == ["x", "y", "z"] and log.n_left_out.tolist() == [0, 2]
    assert rows(log) == {("1", "a"): [1, 3, 4], ("1", "b"): [0, 2, 0]}
    file.write_text(lines(*(elasticsearch(1, documents) for documents in passes), elasticsearch(1, {"a": {"y": 5.0}})))
    with pytest.raises(InputError, match=r":4: .*feature 'y' with the value 5.0, and 3.0 at \S+log.jsonl:2; keep one"):
        read_engine_log(file)


def hit(**fields: Any) -> str:
    """A response with one hit, some of its fields changed."""
    response = elasticsearch("7", {"a": {"x": 1.0}})
    response["hits"]["hits"][0] |= fields
    return lines(response)


def logged(entries: Any) -> str:
    return hit(fields={"_ltrlog": [{"main": entries}]})


def document(**fields: Any) -> str:
    return lines({"response": {"docs": [{"id": "a", "qid": "7", "fv": "x=1.0"} | fields]}})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"the file has no responses"),
        (" \n\n", r"the file has no responses"),
        (lines(elasticsearch(1, {})), r"the responses have no hits at all"),
        (logged([]), r"no document has any feature; check the feature set or store"),
        ('{"qid": 1}\n', r":1: this is no search response: it has none of hits, responses and response"),
        ("[{}]\n", r":1: a response must be a JSON object, and this is a list; write each of them in a line with jq"),
        ("[\n{\n", r":1: a response must be a JSON object, and this is a list"),
        ("{" * 3 + "\n", r":1: not valid JSON"),
        (lines({"hits": 0}).replace("0", "9" * 5000), r":1: not valid JSON \(a number has too many digits\); log"),
        (lines(elasticsearch(1, {})) + '\n{"hits": \n', r":3: not valid JSON \(Expecting value\); log this query again"),
        ("{" + "[" * 10, r":1: not valid JSON \(Expecting property name"),
        ('{"hits":' + "[" * 100_000 + "\n", r":1: not valid JSON \(nested too deeply\)"),
        (lines(elasticsearch(1, {})) + "[" * 100_000 + "\n", r":2: not valid JSON \(nested too deeply\)"),
        (b'{"hits": "\xff"}\n', r":1: this line is not UTF-8 text"),
        (b"\x1f\x8b\x08damaged", r"the gzip file is damaged"),
        (
            '{"error": {"type": "parse_exception"}, "status": 400}',
            r":1: the search failed, 'parse_exception'; log this query",
        ),
        ('{"error": "no handler"}', r":1: the search failed, 'no handler'"),
        (ELASTICSEARCH.replace("false", "true"), r":1: the search is not complete, it timed out; log this query again"),
        (ELASTICSEARCH.replace('"failed": 0', '"failed": 1'), r":1: the search is not complete, 1 of its shards failed"),
        ('{"qid": 1, "hits": {"total": 3}}', r":1: the response has no hits.hits; log what _search returns, whole"),
        (ELASTICSEARCH, r""":1: the response does not say its query; add it with jq -c '. \+ {qid: "7"}'"""),
        ('{"qid": [], "responses": 7}', r":1: responses must be a list, not 7"),
        (lines(elasticsearch(1.5, {})), r":1: qid must be a text or an integer, not 1.5"),
        (lines(elasticsearch("", {})), r":1: qid must be a text or an integer, not ''"),
        (lines(elasticsearch("\ud800", {})), r":1: qid has half of a surrogate pair"),
        (hit(_id=None), r":1: the _id of a hit must be a text or an integer, not None"),
        (hit(_id="a\nb", fields={}), r":1: document 'a\\nb' of query 7 has no fields._ltrlog; ask for it with ext.ltr_log"),
        (hit(fields={"_ltrlog": []}), r":1: document a of query 7 has no fields._ltrlog"),
        (logged({"x": 1.0}), r":1: document a of query 7: its log must be a list of"),
        (
            logged([{"name": "x", "value": True}]),
            r":1: document a of query 7: its log must be a list of .* not \[\{'name': 'x'",
        ),
        (logged([{"name": "x", "value": "1"}]), r":1: document a of query 7: its log must be a list of"),
        (logged([{"value": 1}]), r":1: document a of query 7: its log must be a list of"),
        (logged([{"name": "x", "value": {}}]), r":1: document a of query 7: its log must be a list of"),
        (logged([{"name": 1, "value": 2}]), r":1: document a of query 7 has a feature named 1; a name must be a text"),
        (logged([{"name": [], "value": 2}]), r":1: document a of query 7 has a feature named \[\]; a name must be a text"),
        (logged([{"name": "x"}, {"name": "x"}]), r":1: document a of query 7 has two features named 'x'"),
        (
            logged([{"name": "x", "value": "Infinity"}]),
            r":1: document a of query 7 has a feature that is infinite or beyond",
        ),
        (
            logged([{"name": "x", "value": 1e39}]),
            r":1: document a of query 7 has a feature that is infinite .* 'x'; change how",
        ),
        (logged([{"name": "x", "value": 10**400}]), r":1: document a of query 7 has a feature value that overflows float64"),
        (
            '{"responseHeader": {"status": 400}, "error": {"msg": "no store"}}',
            r":1: the search failed, 'no store'; log this",
        ),
        ('{"responseHeader": {"status": 500}}', r":1: the search failed, 'status 500'"),
        (SOLR.replace('"QTime"', '"partialResults": true, "QTime"'), r":1: the search is not complete \(partialResults\)"),
        ('{"response": {"numFound": 3}}', r":1: the response has no response.docs; log what /select returns, whole"),
        ('{"response": {"docs": [7]}}', r":1: a document must be an object, not 7"),
        (document(id=None), r":1: the id of a document must be a text or an integer, not None"),
        ('{"response": {"docs": [{"fv": "x=1.0"}]}}', r":1: a document has no id; add id to fl, or id:KEY"),
        (document(qid=None), r":1: a document does not say its query; add qid:\[value v=7\] to fl"),
        ('{"qid": 8, ' + document()[1:], r":1: a document has the qid '7', and its response 8; keep one of the two"),
        (document(fv=7), r":1: document a of query 7: its features must be a text of name=value,..., not 7"),
        (document(fv="x=1.0,y"), r":1: document a of query 7: its features must be name=value,..., each value a number"),
        (document(fv="x=1_0"), r":1: document a of query 7: its features must be name=value,..., each value a number"),
        (document(fv="=1"), r":1: document a of query 7 has a feature named ''"),
        ("1 Q0 a 1 2.5 bm25\n", r":1: expected JSON, or CSV with a header line that names id and \[features\] or fv"),
        ("\nid,qid,fv\na,7,x=1.0,y=2.0\n", r":3: the row has 4 cells, and its header has 3"),
        ("id,fv\na,x=1.0\n", r":2: a document does not say its query; add qid:\[value v=7\] to fl"),
        ('id,qid,fv\na,7,"x=1.0"z\n', r":2: not a row of CSV, .*; log this query again with wt=csv"),
    ],
)
def test_bad_responses(file: Path, content: str | bytes, message: str) -> None:
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=message) as caught:
        read_engine_log(file)
    assert str(caught.value).startswith(str(file)) and "\n" not in str(caught.value)


def test_nan_as_text_and_null_are_missing_values(file: Path) -> None:
    file.write_text(logged([{"name": "x", "value": "NaN"}, {"name": "y", "value": None}, {"name": "z", "value": 2}]))
    assert np.isnan(read_engine_log(file).X).tolist() == [[True, True, False]]


def test_the_engines_are_not_mixed(tmp_path: Path) -> None:
    (tmp_path / "1").write_text(lines(elasticsearch(1, {"a": {"x": 1.0}})))
    (tmp_path / "2").write_text(lines(solr("2", {"a": {"x": 1.0}})))
    with pytest.raises(
        InputError, match=r"2:1: this is a response of Solr, and those before are Elasticsearch's; read them"
    ):
        read_engine_log([tmp_path / "1", tmp_path / "2"])


@pytest.mark.parametrize("missing", ["0", True, None, 1e39, -(10**400), np.inf])
def test_bad_arguments(file: Path, missing: Any) -> None:
    with pytest.raises(InputError, match=r"missing must be a number|no logs to read"):
        read_engine_log([] if missing is None else file, missing=missing)


def test_a_number_that_is_too_long_to_show(file: Path) -> None:
    with pytest.raises(InputError, match=r"not a value too long to show \(int\)"):
        read_engine_log(file, missing=10**5000)


def test_an_invalid_path_is_rejected(file: Path) -> None:
    file.write_text(SOLR)
    with open(file) as opened:
        for paths in (b"log.jsonl", opened, 7, None, [file, 7], [b"log.jsonl"]):
            with pytest.raises(InputError, match=r"paths must be a path or several, each a string or os.PathLike, not "):
                read_engine_log(paths)


def test_features_too_large_for_memory_are_rejected(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text(lines(elasticsearch(1, {f"d{i}": {f"x{i}": 1.0} for i in range(9)})))
    monkeypatch.setattr(logged_hits, "half_of_memory", lambda: 4 * 81 - 1)
    with pytest.raises(InputError, match=r"log.jsonl:1: 9 documents of 9 features in all do not fit into memory"):
        read_engine_log(file)


def test_gzip_limits_and_pipes(tmp_path: Path) -> None:
    content = lines(with_qid(ELASTICSEARCH, 7), with_qid(ELASTICSEARCH, 8)).encode()
    (tmp_path / "log.gz").write_bytes(gzip.compress(content))
    wanted = rows(read_engine_log(tmp_path / "log.gz", missing=0))
    with pytest.raises(InputError, match=r"log.gz: the file holds more than 1,000 bytes of data"):
        read_engine_log(tmp_path / "log.gz", max_size=1000)
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(content,), daemon=True)
    writer.start()
    assert rows(read_engine_log(tmp_path / "pipe", missing=0)) == wanted
    writer.join(60)


QRELS = Qrels(["8", "7", "7", "7", "9"], ["a", "c", "a", "z", "a"], [2, 0, 1, 3, 1])


def joinable(file: Path) -> EngineLog:
    documents = {"a": {"x": 1.0, "y": None}, "b": {"x": 2.0, "y": 0.5}, "c": {"x": 3.0, "y": 1.5}}
    file.write_text(lines(*(elasticsearch(qid, documents) for qid in (6, 7, 8))))
    return read_engine_log(file)


def test_joined_with_judgments(file: Path) -> None:
    log = joinable(file)
    data = join_log(log, QRELS, unjudged=0.5)
    found = list(zip(data.qid.tolist(), data.docno.tolist(), data.y.tolist(), data.X[:, 0].tolist(), strict=True))
    grades = {(8, "a"): 2, (7, "a"): 1, (7, "c"): 0}
    assert sorted(found) == [
        (qid, docno, grades.get((qid, docno), 0.5), x) for qid in (7, 8) for docno, x in zip("abc", (1, 2, 3), strict=True)
    ]
    assert data.feature_names == ["x", "y"] and data.X.dtype == np.float32
    assert np.isnan(data.X[:, 1]).tolist() == (data.docno == "a").tolist()
    assert sorted(join_log(log, QRELS, unjudged="drop").y.tolist()) == [0, 1, 2]
    assert join_log(log, QRELS).y.sum() == 3


def test_judgments_that_do_not_match_are_rejected(file: Path) -> None:
    log = joinable(file)
    with pytest.raises(InputError, match="the logs and the qrels have no query in common; check that they belong"):
        join_log(log, Qrels(["q7"], ["a"], [1]))
    with pytest.raises(InputError, match="none of the returned documents was judged; check that logs and qrels belong"):
        join_log(log, Qrels(["7"], ["z"], [1]), unjudged="drop")
    with pytest.raises(InputError, match="log must be an EngineLog, not str; read_engine_log reads one"):
        join_log("log.jsonl", QRELS)
    for qrels in ("qrels.txt", None):
        with pytest.raises(InputError, match=r"qrels must be Qrels, not (str|NoneType); read_qrels reads them from a file"):
            join_log(log, qrels)
    for unjudged in ("x", -1, np.nan, None):
        with pytest.raises(InputError, match="unjudged must be a number that is at least 0, or 'drop', not "):
            join_log(log, Qrels(["7", "7", "7"], ["a", "b", "c"], [1, 0, 0]), unjudged=unjudged)


def test_learners_take_the_joined_data(file: Path) -> None:
    rng = np.random.default_rng(0)
    responses, judged = [], []
    for qid in range(12):
        good = rng.integers(10, size=8) / 10
        documents = {f"d{i}": {"good": float(v), "rare": float(v) if v > 0.6 else None} for i, v in enumerate(good)}
        responses.append(elasticsearch(qid, documents))
        judged += [(str(qid), f"d{i}", float(v >= 0.5)) for i, v in enumerate(good)]
    file.write_text(lines(*responses))
    qrels = Qrels(*map(list, zip(*judged, strict=True)))
    data = join_log(read_engine_log(file), qrels)
    trees = LambdaMART(n_estimators=5, min_child_samples=1).fit(data.X, data.y, data.qid)
    assert trees.predict(data.X)[data.y == 1].min() > trees.predict(data.X)[data.y == 0].max()
    assert np.isnan(data.X).any() and np.isfinite(RankSVM(C=1.0).fit(data.X, data.y, data.qid).predict(data.X)).all()


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="=,"), min_size=1, max_size=5)
VALUES = st.floats(width=32, allow_nan=False, allow_infinity=False)
LOGS = st.dictionaries(
    st.one_of(st.integers(-9, 9).map(str), NAMES),
    st.dictionaries(NAMES, st.dictionaries(NAMES, VALUES, min_size=1, max_size=4), min_size=1, max_size=3),
    min_size=1,
    max_size=3,
)


@given(queries=LOGS, layout=st.sampled_from(["lines", "spread", "msearch", "solr", "csv"]), ascii_only=st.booleans())
def test_logged_features_are_read_back(tmp_path_factory: pytest.TempPathFactory, queries, layout, ascii_only) -> None:
    file = tmp_path_factory.getbasetemp() / "log"
    if layout == "csv":
        with open(file, "w", newline="", encoding="utf-8") as out:
            writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
            writer.writerow(["id", "qid", "fv"])
            writer.writerows([d, q, vector(f)] for q, documents in queries.items() for d, f in documents.items())
    else:
        responses = [(solr if layout == "solr" else elasticsearch)(qid, documents) for qid, documents in queries.items()]
        if layout == "msearch":
            responses = [{"responses": responses, "qid": list(queries)}]
        texts = (json.dumps(r, ensure_ascii=ascii_only, indent=1 if layout == "spread" else None) for r in responses)
        file.write_text("\n".join(texts), encoding="utf-8", newline="")
    if layout in ("solr", "csv") and any(
        re.search(r"[\s;]", n) for documents in queries.values() for f in documents.values() for n in f
    ):
        with pytest.raises(InputError, match="are not read"):
            read_engine_log(file)
        return
    log = read_engine_log(file, missing=np.nan)
    hits = [(qid, docno, features) for qid, documents in queries.items() for docno, features in documents.items()]
    assert list(rows(log)) == [(qid, docno) for qid, docno, _ in hits]
    assert log.feature_names == list(dict.fromkeys(name for _, _, features in hits for name in features))
    for row, (_, _, features) in zip(log.X.tolist(), hits, strict=True):
        assert {n: v for n, v in zip(log.feature_names, row, strict=True) if not np.isnan(v)} == features

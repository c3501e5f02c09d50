"""TREC runs and qrels, and joining them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from directrank import InputError, Qrels, RankingData, Run, join_runs, read_qrels, read_run, write_qrels, write_run
from directrank.data import as_run, judge, read_scores, write_scores

QRELS = Qrels(["1", "1", "1", "2", "3"], ["a", "b", "c", "a", "z"], [2, 0, 1, 1, 1])
FIRST = Run(["1", "1", "2", "8"], ["a", "x", "b", "a"], [5.0, 3.0, 2.0, 1.0], "first")
SECOND = Run(["1", "1"], ["b", "x"], [0.5, 0.25], "second")


def test_read_run(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("1 Q0 d#1 1 2.5 tag\r\n\n1\tQ0\tdé\t2\t-1e3\ttag\nq2 Q0 d 7 0.25 other")
    run = read_run(path)
    assert run.qid.tolist() == ["1", "1", "q2"] and run.docno.tolist() == ["d#1", "dé", "d"]
    assert run.score.tolist() == [2.5, -1000, 0.25] and run.name == "tag" and len(run) == 3


def test_read_qrels(tmp_path: Path) -> None:
    path = tmp_path / "q"
    path.write_text("1 0 d1 2\n1 0 d2 -2\n1 0 d3 0\n")
    qrels = read_qrels(path)
    assert qrels.grade.tolist() == [2, -2, 0] and qrels.docno.tolist() == ["d1", "d2", "d3"]


@pytest.mark.parametrize(
    ("read", "line", "sentence"),
    [
        (read_run, "1 Q0 d 1 2.5", "expected 6 column(s), query Q0 document rank score tag, but found 5"),
        (read_run, "1 Q0 d 1 2.5 t t", "but found 7"),
        (read_run, "1 Q0 d 1 x t", "the score 'x' is not a finite number"),
        (read_run, "1 Q0 d 1 nan t", "the score 'nan' is not a finite number"),
        (read_run, "1 Q0 d 1 1e999 t", "the score '1e999' is not a finite number"),
        (read_run, "1 Q0 d 1 2\0 t", r"the score '2\x00' is not a finite number"),
        (read_run, "\0", "expected 6 column(s), query Q0 document rank score tag, but found 1"),
        (read_qrels, "1 0 d 2\0", r"the grade '2\x00' is not a finite number"),
        (read_run, "1 Q0 \udcff 1 1 t", "this line is not UTF-8 text"),
        (read_qrels, "1 0", "expected 4 column(s), query 0 document grade, but found 2"),
        (read_qrels, "1 0 d high", "the grade 'high' is not a finite number"),
        (read_run, "1 Q0 d 1 0.5#9 t", "the score '0.5#9' is not a finite number"),
        (read_run, "1 Q0 d 1 1e-320#9 t", "the score '1e-320#9' is not a finite number"),
        (read_scores, "1 2", "expected 1 column(s), score, but found 2"),
    ],
)
def test_malformed_lines_are_errors_with_file_and_line(tmp_path: Path, read, line: str, sentence: str) -> None:
    path = tmp_path / "file"
    good = {read_run: "1 Q0 e 1 2 t\n", read_qrels: "1 0 e 1\n", read_scores: "1\n"}[read]
    path.write_bytes(f"{good}\n{line}\n".encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError) as error:
        read(path)
    assert str(error.value).startswith(f"{path}:3: ") and sentence in str(error.value)


@pytest.mark.parametrize("read", [read_run, read_qrels, read_scores])
@settings(max_examples=200)
@given(text=st.binary(max_size=120) | st.text("1 Q0d\n\t.-e#", max_size=120).map(str.encode))
def test_any_bytes(tmp_path_factory, read, text: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.trec"
    path.write_bytes(text)
    lines = [line.split() for line in re.split(rb"\n", re.sub(rb"[\x00-\x09\x0b-\x20]", b" ", text)) if line.split()]
    widths = {read_run: [6], read_qrels: [4, 3], read_scores: [1]}[read]
    try:
        found = read(path)
    except InputError as error:
        if not re.fullmatch(re.escape(str(path)) + r"(:\d+)?: \S[^\n]+", str(error)):
            pytest.fail(f"not one sentence with its place: {error}")
    else:
        assert len(found) == len(lines) and any(all(len(line) == width for line in lines) for width in widths)


def test_judgments_of_three_columns(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("OHSU1\t87049087\t2\nOHSU1\t87049088\t1\n")
    qrels = read_qrels(tmp_path / "q")
    assert qrels.qid.tolist() == ["OHSU1"] * 2 and qrels.docno.tolist() == ["87049087", "87049088"]
    assert qrels.grade.tolist() == [2, 1]
    (tmp_path / "q").write_text("OHSU1\t87049087\t2\n1 0 d 1\n")
    with pytest.raises(InputError, match=r"q:1: expected 4 column"):
        read_qrels(tmp_path / "q")


def test_no_document_is_written_twice(tmp_path: Path) -> None:
    target, qid, docno = tmp_path / "written", ["1", "2", "1"], ["a", "a", "a"]
    with pytest.raises(InputError, match="run mine: document a of query 1 is listed more than once; keep one"):
        write_run(target, Run(qid, docno, [1.0, 2.0, 3.0], "mine"))
    with pytest.raises(InputError, match="the qrels: document a of query 1 is listed more than once; keep one"):
        write_qrels(target, Qrels(qid, docno, [1.0, 2.0, 0.0]))
    with pytest.raises(InputError, match="the data: document a of query 1 is listed more than once; keep one"):
        as_run(RankingData([[1.0]] * 3, [0, 0, 1], qid, docno), [1.0, 2.0, 3.0])
    assert not target.exists()


def test_write_run_ranks_by_score_then_by_descending_docno(tmp_path: Path) -> None:
    write_run(tmp_path / "r.gz", Run(["2", "1", "2", "2"], ["a", "a", "b", "c"], [1.0, 0.1, 1.0, 2.5], "my run"))
    again = read_run(tmp_path / "r.gz")
    assert again.qid.tolist() == ["2", "2", "2", "1"] and again.docno.tolist() == ["c", "b", "a", "a"]
    assert again.score.tolist() == [2.5, 1.0, 1.0, 0.1] and again.name == "my_run"


def test_round_trips_of_qrels_and_scores(tmp_path: Path) -> None:
    write_qrels(tmp_path / "q", QRELS)
    again = read_qrels(tmp_path / "q")
    assert [again.qid.tolist(), again.docno.tolist(), again.grade.tolist()] == [
        QRELS.qid.tolist(),
        QRELS.docno.tolist(),
        QRELS.grade.tolist(),
    ]
    scores = np.random.default_rng(0).standard_normal(50)
    write_scores(tmp_path / "s", scores)
    assert read_scores(tmp_path / "s").tolist() == scores.tolist()


@pytest.mark.parametrize(
    ("write", "table", "sentence"),
    [
        (write_run, Run(["1"], ["two words"], [1.0]), "the document 'two words' cannot be written to a TREC file"),
        (write_qrels, Qrels(["1"], [""], [1.0]), "the document '' cannot be written"),
        (write_run, Run(["1"], ["a"], [-np.inf]), "the scores of a run must be finite"),
    ],
)
def test_names_that_could_not_be_read_back_are_not_written(tmp_path: Path, write, table, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        write(tmp_path / "x", table)
    assert sentence in str(error.value) and not list(tmp_path.iterdir())


def test_a_run_that_found_nothing() -> None:
    empty = Run(np.array([], dtype=str), np.array([], dtype=str), [])
    with pytest.raises(InputError, match="the runs are empty"):
        judge(empty, QRELS)
    with pytest.raises(InputError, match="the qrels are empty"):
        judge(FIRST, Qrels(np.array([], dtype=str), np.array([], dtype=str), []))


def rows(data) -> dict:
    return {
        (q, d): (y, x)
        for q, d, y, x in zip(data.qid.tolist(), data.docno.tolist(), data.y.tolist(), data.X.tolist(), strict=True)
    }


def test_join_has_a_feature_for_each_run() -> None:
    data = join_runs([FIRST, SECOND], QRELS)
    assert data.feature_names == ["first", "second"]
    # Query 8 was not judged, query 3 not returned. In query 2 the second run returned nothing: its lowest anywhere.
    assert rows(data) == {
        (1, "a"): (2, [5.0, 0.25]),
        (1, "x"): (0, [3.0, 0.25]),
        (1, "b"): (0, [3.0, 0.5]),
        (2, "b"): (0, [2.0, 0.25]),
    }


def test_join_by_other_rules() -> None:
    assert rows(join_runs([FIRST, SECOND], QRELS, missing=-1.0, unjudged="drop")) == {
        (1, "a"): (2, [5.0, -1.0]),
        (1, "b"): (0, [-1.0, 0.5]),
    }
    assert np.isnan(join_runs([FIRST, SECOND], QRELS, missing=np.nan).X).sum() == 3
    assert rows(join_runs([SECOND], QRELS, unjudged=0.5))[1, "x"][0] == 0.5
    assert set(rows(join_runs([SECOND], QRELS, unretrieved=True))) == {
        (1, "a"), (1, "b"), (1, "c"), (1, "x"), (2, "a"), (3, "z"),
    }  # fmt: skip


def test_judge_joins_a_run_with_the_qrels() -> None:
    judged = judge(FIRST, QRELS)
    found = dict(
        zip(
            zip(judged.qid.tolist(), judged.docno.tolist(), strict=True),
            zip(judged.y, judged.scores, strict=True),
            strict=True,
        )
    )
    assert found == {
        (1, "a"): (2, 5), (1, "b"): (0, -np.inf), (1, "c"): (1, -np.inf), (1, "x"): (0, 3),
        (2, "a"): (1, -np.inf), (2, "b"): (0, 2), (3, "z"): (1, -np.inf),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("runs", "qrels", "sentence"),
    [
        (
            [Run(["1", "1"], ["a", "a"], [1, 2], "twice")],
            QRELS,
            "run twice: document a of query 1 is listed more than once; keep one",
        ),
        (
            [FIRST],
            Qrels(["1", "1"], ["a", "a"], [1, 2]),
            "the qrels: document a of query 1 is listed more than once; keep one",
        ),
        ([FIRST, FIRST], QRELS, "two features are named 'first'"),
        ([Run(["9"], ["a"], [1.0])], QRELS, "the runs and the qrels have no query in common"),
    ],
)
def test_join_errors(runs: list[Run], qrels: Qrels, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        join_runs(runs, qrels)
    assert sentence in str(error.value)


EMPTY = Run(np.array([], dtype=str), np.array([], dtype=str), [])


@pytest.mark.parametrize("qrels", [None, QRELS])
@pytest.mark.parametrize(
    ("runs", "sentence"),
    [
        (lambda: [], "there are no runs to join"),
        (lambda: iter(()), "there are no runs to join"),
        (lambda: None, "there are no runs to join"),
        (lambda: np.array([]), "there are no runs to join"),
        (lambda: [EMPTY], "the runs are empty"),
        (lambda: [FIRST, QRELS], "runs must be Run objects, not Qrels"),
        (lambda: "a.run", "runs must be Run objects, not str"),
        (lambda: 5, "runs must be Run objects, not int"),
    ],
)
def test_an_invalid_run_is_an_error(runs, qrels: Qrels | None, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        join_runs(runs(), qrels)
    assert sentence in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("missing", ["lowest", np.nan])
def test_runs_may_come_from_a_generator_and_some_may_be_empty(missing) -> None:
    data = join_runs((run for run in (FIRST, EMPTY)), QRELS, missing=missing)
    assert data.feature_names == ["first", "run"] and data.X[:, 0].tolist() == join_runs([FIRST], QRELS).X[:, 0].tolist()
    assert rows(join_runs(FIRST, QRELS)) == rows(join_runs([FIRST], QRELS))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Run(["1"], ["a", "b"], [1.0]), "docno has 2 rows; expected 1"),
        (lambda: Run(["1"], ["a"], [np.nan]), "scores is NaN in row 0"),
        (lambda: Qrels(["1"], ["a"], [np.nan]), "y is nan in row 0"),
    ],
)
def test_runs_and_qrels_are_checked(make, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        make()
    assert sentence in str(error.value)


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes(b"\xef\xbb\xbfq1 0 a 1\nq1 0 b 0\n")
    assert read_qrels(tmp_path / "qrels").qid.tolist() == ["q1", "q1"]

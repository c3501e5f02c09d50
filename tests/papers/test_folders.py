"""Files of data folders, and errors for missing ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from directrank.data import InputError
from directrank.papers import Source
from directrank.papers.folders import find_by_prefix, find_one
from directrank.papers.text_folder import read_text_files

SOURCE = Source("kind", "a*, and b*", "made up", lambda folder: folder)


def test_find_by_prefix(tmp_path: Path) -> None:
    for name in ("a2", "a1.txt", "a1.txt~", "b", "ba"):
        (tmp_path / name).touch()
    assert [path.name for path in find_by_prefix(tmp_path, "a", SOURCE)] == ["a1.txt", "a2"]
    assert find_one(tmp_path, "a2", SOURCE) == tmp_path / "a2"
    with pytest.raises(InputError, match=r"there are a1.txt, a2, but only one a\* is expected; keep one"):
        find_one(tmp_path, "a", SOURCE)
    with pytest.raises(InputError, match=r"named c\*; give --data kind=FOLDER, a folder with a\*, and b\*"):
        find_one(tmp_path, "c", SOURCE)
    with pytest.raises(InputError, match="b: not a folder; give --data kind=FOLDER"):
        find_by_prefix(tmp_path / "b", "a", SOURCE)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """Two files each of documents, topics and qrels."""
    for i in (1, 2):
        (tmp_path / f"documents{i}.tsv").write_text(f"d{i}\twords\n")
        (tmp_path / f"topics{i}.tsv").write_text(f"q{i}\twords\n")
        (tmp_path / f"qrels{i}").write_text(f"q{i} 0 d1 1\nq{i} 0 d2 0\n")
    return tmp_path


def test_several_files_of_each_kind(texts: Path) -> None:
    found = read_text_files(texts, SOURCE)
    assert [document.docno for document in found.documents] == ["d1", "d2"]
    assert found.queries == {"q1": "words", "q2": "words"}
    assert found.qrels.qid.tolist() == ["q1", "q1", "q2", "q2"] and found.qrels.grade.tolist() == [1, 0, 1, 0]


def test_duplicate_judgments_are_an_error(texts: Path) -> None:
    (texts / "qrels2").write_text("q2 0 d1 1\nq1 0 d2 1\n")
    with pytest.raises(InputError, match="document d2 of query q1 is judged in more than one of qrels1, qrels2; keep one"):
        read_text_files(texts, SOURCE)


def test_cranfield_queries_are_numbered_in_order(tmp_path: Path) -> None:
    (tmp_path / "cran.all.1400").write_text(".I 1\n.T\nwing\n.W\nwing\n")
    (tmp_path / "cran.qry").write_text(".I 001\n.W\nwing\n.I 004\n.W\nflow\n")
    (tmp_path / "cranqrel.trec.txt").write_text("1 0 1 1\n2 0 1 0\n")
    (tmp_path / "cranqrel.readme").write_text("what this is\n")
    found = read_text_files(tmp_path, SOURCE)
    assert list(found.queries) == ["1", "2"] and len(found.qrels) == 2

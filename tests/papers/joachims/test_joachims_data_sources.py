"""Readers of the collections."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from directrank import InputError
from directrank.papers.joachims import data_sources

STORY = (
    '<REUTERS TOPICS="YES" LEWISSPLIT="{split}" NEWID="{number}">\n<TOPICS>{topics}</TOPICS>\n'
    "<TEXT><TITLE>{text}</TITLE></TEXT>\n</REUTERS>\n"
)


def write_reuters(folder: Path, *stories: tuple[str, str, str]) -> None:
    text = "".join(
        STORY.format(split=split, number=i, topics="".join(f"<D>{each}</D>" for each in topics.split()), text=text)
        for i, (split, topics, text) in enumerate(stories, 1)
    )
    (folder / "reut2-000.sgm").write_text(text)


def test_reuters_as_vectors_of_stems(tmp_path: Path) -> None:
    write_reuters(
        tmp_path,
        ("TRAIN", "crude", "oil oil prices the"),
        ("TRAIN", "", "price of wheat"),
        ("TRAIN", "grain", "wheat"),
        ("TEST", "crude gas", "oils and unseen"),
        ("TEST", "", "nothing known"),
    )
    found = data_sources.read_reuters_collection(tmp_path)
    assert sparse.issparse(found.X) and found.X.shape == (3, 3) and found.X_test.shape == (2, 3)  # oil, price, wheat
    oil, price = 2 * np.log(3), np.log(3 / 2)
    np.testing.assert_allclose(found.X.toarray()[0], np.array([oil, price, 0]) / np.hypot(oil, price))
    np.testing.assert_allclose(sparse.linalg.norm(found.X, axis=1), 1)
    assert found.X_test.toarray().tolist() == [[1, 0, 0], [0, 0, 0]]
    assert {name: each.tolist() for name, each in found.members.items()} == {"crude": [True, False, False]}
    assert found.members_test["crude"].tolist() == [True, False]
    assert found.about.startswith("3/2 examples, 3 features, 1 classes; TF-IDF")


def test_optdigits_and_covertype(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "optdigits.tra").write_text("0,10,0\n4,20,1\n2,15,0\n")
    (tmp_path / "optdigits.tes").write_text("4,30,1\n0,10,0\n")
    found = data_sources.read_optdigits(tmp_path)
    assert found.X.tolist() == [[0, 0], [1, 1], [0.5, 0.5]] and found.X_test.tolist() == [[1, 2], [0, 0]]
    assert list(found.members) == ["0", "1"] and found.members["0"].tolist() == [True, False, True]

    rows = [f"{i},{i % 7},{i % 2 + 1}\n" for i in range(20)]
    (tmp_path / "covtype.data.gz").write_bytes(gzip.compress("".join(rows).encode()))
    monkeypatch.setattr(data_sources, "COVERTYPE", (6, 9))
    found = data_sources.read_covertype(tmp_path)
    assert found.X.shape == (6, 2) and found.X_test.shape == (9, 2) and list(found.members) == ["1", "2"]
    monkeypatch.setattr(data_sources, "COVERTYPE", (16, 9))
    with pytest.raises(InputError, match="there are 20 rows, but 25 are needed"):
        data_sources.read_covertype(tmp_path)


def test_svmlight_with_one_or_several_labels(tmp_path: Path) -> None:
    wide = " ".join(f"{i}:1" for i in range(10, 20))
    (tmp_path / "train.dat").write_text(f"1,3 2:0.5\n3 {wide}\n-1 1:2\n 4:1\n2 1:1\n")
    (tmp_path / "test.dat").write_text("3 1:1 40:2\n1 2:1\n7 3:1\n")
    found = data_sources.read_svmlight(tmp_path)
    assert sparse.issparse(found.X) and found.X.shape == (5, 40) and found.X_test.shape == (3, 40)
    assert {name: np.flatnonzero(each).tolist() for name, each in found.members.items()} == {"1": [0], "3": [0, 1]}
    assert {name: np.flatnonzero(each).tolist() for name, each in found.members_test.items()} == {"1": [1], "3": [0]}
    (tmp_path / "train.dat").write_text("1 1:1 2:2\n2 1:3 2:1\n")
    (tmp_path / "test.dat").write_text("1 1:1 2:2\n2 1:3 2:1\n")
    assert data_sources.read_svmlight(tmp_path).X.tolist() == [[1, 2], [3, 1]]


@pytest.mark.parametrize(
    ("read", "files", "message"),
    [
        ("reuters_collection", {}, r"there is no file \*.sgm here"),
        ("optdigits", {"optdigits.tra": "1,2\n"}, r"there is no file optdigits.tes here; name a folder with one"),
        (
            "optdigits",
            {"optdigits.tra": "1,x\n", "optdigits.tes": "1,2\n"},
            "optdigits.tra: not a table of comma-separated",
        ),
        ("covertype", {"covtype.data": "1\n", "covtype.data.gz": "1\n"}, r"there are several files covtype\*data\* here"),
        ("svmlight", {"train.txt": "1 1:1\n"}, r"there is no file \*test\* here"),
        ("svmlight", {"train.txt": "1 1:1\n", "test.txt": "1 a:1\n"}, "not in SVMlight's format"),
        ("svmlight", {"train.txt": "1 1:1\n2 1:1\n", "test.txt": "3 1:1\n"}, "no class has rows in both files"),
    ],
)
def test_invalid_folder_is_a_one_line_error(tmp_path: Path, read: str, files: dict[str, str], message: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message) as raised:
        getattr(data_sources, f"read_{read}")(tmp_path)
    assert str(tmp_path) in str(raised.value) and "\n" not in str(raised.value)


def test_reuters_with_no_topic_in_both_parts(tmp_path: Path) -> None:
    write_reuters(tmp_path, ("TRAIN", "crude", "oil"), ("TEST", "gas", "gas"))
    with pytest.raises(InputError, match="no topic has stories in both parts of ModApte"):
        data_sources.read_reuters_collection(tmp_path)


def test_subset_has_classes_of_all_sizes() -> None:
    labels = [[c for c in range(6) if i >= 2 * c + 1] for i in range(14)]
    whole = data_sources.Collection.from_labels(np.zeros((14, 1)), labels, np.zeros((14, 1)), labels, "made up")
    assert list(whole.subset(3).members) == ["0", "2", "5"]
    assert list(whole.subset(9).members) == list(whole.members)
    assert whole.about == "14/14 examples, 1 features, 6 classes; made up."
    assert whole.subset(3).about == "14/14 examples, 1 features, 3 of 6 classes; made up."

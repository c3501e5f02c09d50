"""Reuters-21578: the facts known of it, and a small file like its own."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from directrank import InputError
from directrank.datasets import read_modapte, read_reuters

STORY = """<REUTERS TOPICS="{has}" LEWISSPLIT="{split}" CGISPLIT="TRAINING-SET" OLDID="55" NEWID="{number}">
<DATE>26-FEB-1987</DATE>
<TOPICS>{topics}</TOPICS>
<PLACES><D>usa</D></PLACES>
<UNKNOWN>&#5;</UNKNOWN>
<TEXT{kind}>&#2;
{text}
&#3;</TEXT>
</REUTERS>
"""


def story(number: int, topics: str, split: str = "TRAIN", has: str = "YES", text: str = "", kind: str = "") -> str:
    text = (
        text or f"<TITLE>Title {number}</TITLE>\n<DATELINE> X, Feb 26 - </DATELINE><BODY>Oil &amp; gas,\nReuter\n&#3;</BODY>"
    )
    marked = "".join(f"<D>{topic}</D>" for topic in topics.split())
    return STORY.format(number=number, topics=marked, split=split, has=has, text=text, kind=kind)


FILE = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n' + "".join(
    (
        story(1, "crude gas"),
        story(2, "crude", "TEST", text="<TITLE>brief</TITLE>", kind=' TYPE="BRIEF"'),
        story(3, "gas wheat", "TEST", text="All of &lt;it>", kind=' TYPE="UNPROC"'),
        story(4, "", "TRAIN"),
        story(5, "crude", "NOT-USED"),
        story(6, "", "TRAIN", has="NO"),
    )
)


def test_a_small_file(tmp_path: Path) -> None:
    (tmp_path / "reut2-000.sgm").write_text(FILE)
    stories = list(read_reuters(tmp_path))
    assert [found.split for found in stories] == ["train", "test", "test", "train", "unused", "unused"]
    assert stories[0] == ("1", "Title 1", "Oil & gas,\nReuter", ("crude", "gas"), "train")
    assert [found.text for found in stories[:3]] == ["Title 1\nOil & gas,\nReuter", "brief", "All of <it>"]
    split = read_modapte(tmp_path / "reut2-000.sgm")
    assert [found.docno for found in split.train] == ["1", "4"] and [found.docno for found in split.test] == ["2", "3"]
    assert split.topics == ["crude", "gas"]


def test_bad_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no file \*.sgm here; name the folder of reut2-000.sgm"):
        list(read_reuters(tmp_path))
    file = tmp_path / "x.sgm.gz"
    for content, message in (
        (FILE.replace("</REUTERS>", "", 1), r"x.sgm.gz:2: this story is not closed by </REUTERS>; fetch the file again"),
        (FILE[:-20], r"x.sgm.gz:\d+: this story is not closed"),
        (FILE.replace('NEWID="2"', ""), r"x.sgm.gz:14: this story has no attribute NEWID"),
        (FILE.replace('NEWID="2"', 'NEWID="1"'), r"x.sgm.gz:14: story 1 is given more than once; keep one"),
        ("no stories", r"there is no story here"),
    ):
        file.write_bytes(gzip.compress(content.encode()))
        with pytest.raises(InputError, match=message):
            list(read_reuters(tmp_path))


def test_the_split_of_the_real_stories(real_data: Path) -> None:
    split = read_modapte(real_data / "reuters21578")
    assert (len(split.train), len(split.test), len(split.topics)) == (9603, 3299, 90)
    assert sum("earn" in found.topics for found in split.train) == 2877
    assert sum("earn" in found.topics for found in split.test) == 1087
    assert split.train[0].text.startswith("BAHIA COCOA REVIEW\nShowers continued")

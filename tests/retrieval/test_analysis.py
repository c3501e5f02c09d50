"""Analysers are the same in every version: stop words, stems, and digests that a saved index is checked with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from directrank import InputError
from directrank.retrieval import Analyser, TextIndex, analysis, porter
from directrank.retrieval.analysis import as_analyser
from directrank.retrieval.probe_text import PORTER_EXAMPLES
from directrank.retrieval.stop_words import LISTS

#: Saved indexes have these: a change of a stop list, of the stemmer or of how text is split must not go unnoticed.
DIGESTS = {
    "plain": "d7ddd27dc37d9d1b9d198dcbc38b97c9",
    "porter": "a98a889d14d6546b9f1a86c388383bfc",
    "porter+stop": "2e708da81f95bba030ca799d3048cbc6",
    "porter+indri": "1d5d83092c655aedca866c4cf1b67c2b",
}

#: Of Porter's examples, after all steps of his algorithm.
STEMS = """
caress poni ti caress cat feed agre plaster bled motor sing conflat troubl size hop tan fall hiss fizz fail file happi sky
relat condit ration valenc hesit digit conform radic differ vile analog vietnam predic oper feudal decis hope callous formal
sensit sensibl triplic form formal electr electr hope good reviv allow infer airlin gyroscop adjust defens irrit replac
adjust depend adopt homolog commun activ angular homolog effect bowdler probat rate ceas control roll
"""


@pytest.mark.parametrize("name", DIGESTS)
def test_digests_are_those_of_saved_indexes(name: str) -> None:
    assert as_analyser(name).digest == DIGESTS[name]


def test_stems_are_porters() -> None:
    assert as_analyser("porter")(PORTER_EXAMPLES) == STEMS.split()


def test_stop_lists_are_whole() -> None:
    assert {name: len(set(words.split())) for name, words in LISTS.items()} == {"scikit-learn": 318, "indri": 418}


def test_digests_tell_stop_words_apart_and_custom_functions_have_none() -> None:
    assert porter(["foo"]).digest == porter(["foo", "FOO".lower()]).digest
    assert len({porter(["foo"]).digest, porter(["bar"]).digest, porter(["foo", "bar"]).digest, *DIGESTS.values()}) == 7
    assert as_analyser(str.split).digest is None and Analyser("plain", analysis.words, list).digest is None


def open_after(change: Callable[[dict[str, Any]], object], folder: Path) -> TextIndex:
    """Open an index with the stop words of scikit-learn after a change of what is saved about its analyser."""
    TextIndex.build([("a", "the cats")]).save(folder)
    about = json.loads((folder / "index.json").read_text())
    change(about["analyser"])
    (folder / "index.json").write_text(json.dumps(about))
    return TextIndex.open(folder)


def test_an_index_of_another_version_of_its_analyser_is_an_error(tmp_path: Path) -> None:
    assert list(open_after(lambda saved: None, tmp_path / "index").terms) == ["cat"]
    sentence = (
        "index was built with a version of the analyser porter.stop that gives other terms: .*; build the index again$"
    )
    with pytest.raises(InputError, match=sentence):
        open_after(lambda saved: saved.update(digest="0" * 32), tmp_path / "index")
    with pytest.raises(InputError, match=r"index: unknown analyser 'porter\+smart'; choose one of plain"):
        open_after(lambda saved: saved.update(name="porter+smart"), tmp_path / "index")
    for wrong in ({"digest": 7}, {"name": None}):
        with pytest.raises(InputError, match=r"is a damaged text index \(index.json names no analyser\); build it again"):
            open_after(lambda saved, wrong=wrong: saved.update(wrong), tmp_path / "index")


def test_stems_that_have_changed_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    TextIndex.build([("a", "the cats")]).save(tmp_path / "index")

    class Lovins:
        def stemWords(self, words: list[str]) -> list[str]:
            return [word[:4] for word in words]

    monkeypatch.setattr(analysis, "_stemmer", Lovins)
    with pytest.raises(InputError, match="the stems of PyStemmer, have changed"):
        TextIndex.open(tmp_path / "index")


def test_another_analyser_than_the_one_an_index_was_built_with_is_an_error(tmp_path: Path) -> None:
    TextIndex.build([("a", "the cats")]).save(tmp_path / "known")
    with pytest.raises(InputError, match=r"known was built with another analyser than own; leave out analyser= to use"):
        TextIndex.open(tmp_path / "known", str.split)
    TextIndex.build([("a", "the cats")], porter(["the"])).save(tmp_path / "custom")
    assert list(TextIndex.open(tmp_path / "custom", porter(["the"])).terms) == ["cat"]
    with pytest.raises(InputError, match=r"custom was built with another analyser than porter\+own; pass that one"):
        TextIndex.open(tmp_path / "custom", porter(["a", "the"]))

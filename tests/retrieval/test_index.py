"""The index against counts by hand."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from directrank import InputError
from directrank.data.parsing.byte_strings import ByteStrings
from directrank.retrieval import TextIndex
from directrank.retrieval.analysis import Analyser, as_analyser, is_known, porter, words
from directrank.retrieval.stop_words import INDRI

texts = st.lists(st.text(st.sampled_from("abcé東 .!-_1")), min_size=0, max_size=8)


@given(texts)
def test_postings_are_counts(found: list[str]) -> None:
    index = TextIndex.build(((f"d{i}", text) for i, text in enumerate(found)), analyser="plain")
    counts = [Counter(as_analyser("plain")(text)) for text in found]
    assert list(index.terms) == sorted(set().union(*counts), key=str.encode)
    assert index.lengths.tolist() == [sum(c.values()) for c in counts] and list(index.docnos) == [
        f"d{i}" for i in range(len(found))
    ]
    table = index.matrix().toarray()
    for t, term in enumerate(index.terms):
        assert table[:, t].tolist() == [c[term] for c in counts]
        assert index.frequency(term) == sum(term in c for c in counts)
        assert index.collection_frequencies[t] == sum(c[term] for c in counts)
        assert np.all(np.diff(index.documents[index.starts[t] : index.starts[t + 1]]) > 0)


def test_analysers() -> None:
    assert as_analyser("plain")("The Cats' running, Ünder_1") == ["the", "cats", "running", "ünder_1"]
    assert as_analyser("porter")("The cats running") == ["the", "cat", "run"]
    assert as_analyser("porter+stop")("The cats are running") == ["cat", "run"]
    assert as_analyser(str.split)("The cats") == ["The", "cats"]
    with pytest.raises(InputError, match=r"unknown analyser 'snowball'; choose one of plain, porter, porter\+stop"):
        as_analyser("snowball")


def test_stop_words(tmp_path: Path) -> None:
    assert len(INDRI.split()) == len(set(INDRI.split())) == 418
    assert porter("scikit-learn") == as_analyser("porter+stop") and porter("indri") == as_analyser("porter+indri")
    text = "The cats whilst sideways don't run"
    assert porter("indri")(text) == ["cat", "don", "run"]  # doesn't is a stop word, so t is one
    (tmp_path / "list.txt").write_text("the Cats\ndon't\n")
    from_file = porter(tmp_path / "list.txt")
    assert from_file(text) == ["whilst", "sidewai", "run"] == porter(["the", "cats", "don't"])(text)
    assert from_file.name == "porter+list.txt" and not is_known(from_file) and is_known(porter("indri"))
    (tmp_path / "list.txt").write_text("\n")
    with pytest.raises(InputError, match=r"list.txt: the file has no stop words"):
        porter(str(tmp_path / "list.txt"))


def test_an_index_without_the_stop_words_of_indri_can_be_opened_again(tmp_path: Path) -> None:
    TextIndex.build([("a", "shown sideways to a cat")], porter("indri")).save(tmp_path / "index")
    index = TextIndex.open(tmp_path / "index")
    assert index.analyser == porter("indri") and list(index.terms) == ["cat"]


def test_all_analysers_at_once_are_each_on_its_own() -> None:
    documents = [("a", "The cats were running"), ("b", ""), ("c", "a cat runs")]
    for index in TextIndex.build_all(documents):
        alone = TextIndex.build(documents, index.analyser)
        assert list(alone.terms) == list(index.terms)
        np.testing.assert_array_equal(alone.matrix().toarray(), index.matrix().toarray())
    with pytest.raises(InputError, match="these analysers split text in different ways"):
        TextIndex.build_all(documents, ["plain", str.split])


def test_fields() -> None:
    documents = [("a", {"title": "cat", "body": "dog"}), ("b", {"title": "cow", "body": ""})]
    assert list(TextIndex.build(documents, "plain").terms) == ["cat", "cow", "dog"]
    assert list(TextIndex.build(documents, "plain", fields=["title"]).terms) == ["cat", "cow"]
    with pytest.raises(InputError, match="document 'a' must be a text or have all requested fields"):
        TextIndex.build(documents, "plain", fields=["head"])


def test_saving_and_opening(tmp_path: Path) -> None:
    index = TextIndex.build([("ä", "the cats"), ("b", ""), ("c", "a cat 東京")])
    index.save(tmp_path / "index")
    index.save(tmp_path / "index")  # replaces
    again = TextIndex.open(tmp_path / "index")
    assert (
        isinstance(again.counts, np.memmap)
        and list(again.docnos) == ["ä", "b", "c"]
        and list(again.terms) == list(index.terms)
    )
    np.testing.assert_array_equal(again.matrix().toarray(), index.matrix().toarray())
    assert again.query("cats 東京").terms.tolist() == index.query("cats 東京").terms.tolist()
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    own = TextIndex.build([("a", "X y")], str.split)
    own.save(tmp_path / "own")
    with pytest.raises(InputError, match="was built with a custom analyser; pass it as analyser="):
        TextIndex.open(tmp_path / "own")
    assert list(TextIndex.open(tmp_path / "own", str.split).terms) == ["X", "y"]
    (tmp_path / "precious").mkdir()
    index.save(tmp_path / "precious")  # an empty folder is nobody's
    (tmp_path / "precious" / "index.json").unlink()
    (tmp_path / "precious" / "index.json").write_text('{"name": "of a web site"}')
    with pytest.raises(InputError, match="precious exists and is not a text index"):
        index.save(tmp_path / "precious")
    assert (tmp_path / "precious" / "index.json").read_text() == '{"name": "of a web site"}'
    with pytest.raises(InputError, match="precious has the format None, not 'directrank text index"):
        TextIndex.open(tmp_path / "precious")
    (tmp_path / "precious" / "index.json").unlink()
    with pytest.raises(InputError, match="is not a text index"):
        TextIndex.open(tmp_path / "precious")


def test_bad_documents_and_queries() -> None:
    with pytest.raises(InputError, match="document 'a' is given more than once"):
        TextIndex.build([("a", "x"), ("b", "y"), ("a", "z")])
    index = TextIndex.build([("a", "x y")], "plain")
    query = index.query("z x x")
    assert query.terms.tolist() == [0] and query.counts.tolist() == [2.0]
    assert index.query("").terms.size == 0


def test_words_of_any_script_keep_their_marks() -> None:
    assert words("हिन्दी भाषा") == ["हिन्दी", "भाषा"]
    assert words("cafe\u0301 CAFÉ, 東京") == ["café", "café", "東京"]


def test_what_is_saved_can_be_read_by_others_and_a_custom_analyser_is_not_taken_for_a_known_one(tmp_path: Path) -> None:
    index = TextIndex.build([("a", "cat")], "plain")
    index.save(tmp_path / "index")
    (tmp_path / "folder").mkdir()
    assert (tmp_path / "index").stat().st_mode == (tmp_path / "folder").stat().st_mode
    TextIndex.build([("a", "cat")], Analyser("plain", str.split, list)).save(tmp_path / "own")
    with pytest.raises(InputError, match="a custom analyser"):
        TextIndex.open(tmp_path / "own")


def test_opening_does_not_read_the_postings(tmp_path: Path) -> None:
    index = TextIndex.build([("a", "cat dog")], "plain")
    random = np.random.default_rng(0)
    starts = np.array([0, 1_500_000, 2_000_000])
    index = TextIndex(
        index.docnos,
        index.terms,
        starts,
        np.zeros(starts[-1], np.int32),
        random.integers(1, 2**16, starts[-1]).astype(np.uint16),
        index.lengths,
        index.analyser,
    )
    index.save(tmp_path / "index")
    tracemalloc.start()
    try:
        again = TextIndex.open(tmp_path / "index")
        _, opening = tracemalloc.get_traced_memory()
        sums = again.collection_frequencies
        _, computing = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert opening < index.counts.nbytes / 10 and computing < index.counts.nbytes / 2
    assert sums.dtype == np.int64 and sums is again.collection_frequencies
    assert sums.tolist() == [int(part.sum(dtype=np.int64)) for part in np.split(index.counts, [1_500_000])]


@given(
    st.lists(st.text(st.sampled_from("abcé東"), max_size=4), unique=True),
    st.lists(st.text(st.sampled_from("abcé東"), max_size=4)),
)
def test_names_are_found(held: list[str], wanted: list[str]) -> None:
    held.sort(key=str.encode)
    names = ByteStrings.from_strings(held)
    expected = [held.index(string) if string in held else -1 for string in wanted]
    assert names.find_sorted(wanted).tolist() == expected


@given(texts, st.lists(st.text(st.sampled_from("abcé東 .!-_1"))))
def test_queries_are_counts(found: list[str], asked: list[str]) -> None:
    index = TextIndex.build(((str(i), text) for i, text in enumerate(found)), "plain")
    terms = list(index.terms)
    for text, query in zip(asked, index.queries(asked), strict=True):
        counts = sorted((terms.index(t), n) for t, n in Counter(as_analyser("plain")(text)).items() if t in terms)
        assert list(zip(query.terms.tolist(), query.counts.tolist(), strict=True)) == counts

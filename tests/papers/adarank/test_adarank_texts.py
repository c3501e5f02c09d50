"""Candidate documents of text collections."""

from __future__ import annotations

import numpy as np
import pytest

from directrank.data import InputError
from directrank.features import ADARANK_FEATURES
from directrank.papers.adarank.text_features import TEXT, read_text_collection
from directrank.papers.adarank.texts import read_texts
from directrank.retrieval import BM25, Retriever


def test_queries_with_ten_relevant_documents_are_selected(text_folder):
    collection = read_text_collection(text_folder)
    data = collection.data
    assert sorted(set(data.qid.tolist())) == ["q0", "q1", "q2", "q3", "q4"]
    assert len(data) == 150 and data.y.sum() == 50
    assert collection.relevant == 1 and collection.remarks == ()
    assert data.feature_names == [function.name for function in ADARANK_FEATURES]
    assert data.X.min() == 0 and data.X.max() == 1


def test_scores_match_the_retriever(text_folder):
    collection, texts = read_text_collection(text_folder), read_texts(text_folder, TEXT)
    found, data = collection.bm25(BM25(2.0, 0.3)), collection.data
    for qid in ("q0", "q4"):
        scores = Retriever(texts.index, BM25(2.0, 0.3)).scores(texts.queries[qid])
        number = {docno: i for i, docno in enumerate(texts.index.docnos)}
        rows = data.qid == qid
        assert found[rows] == pytest.approx(scores[[number[docno] for docno in data.docno[rows].tolist()]])


def test_all_queries_with_three_grades_are_selected(text_folder):
    qrels = text_folder / "qrels.txt"
    first, *others = qrels.read_text().splitlines()
    assert first.endswith(" 1")
    qrels.write_text("\n".join([first[:-1] + "2", *others]) + "\n")
    collection = read_text_collection(text_folder)
    assert collection.data.n_queries == 6
    assert collection.relevant == 2


def test_bm25_candidates_if_mostly_relevant_documents_are_judged(text_folder):
    lines = (text_folder / "qrels.txt").read_text().splitlines()
    (text_folder / "qrels.txt").write_text("\n".join(line for line in lines if line.endswith(" 1")) + "\n")
    collection = read_text_collection(text_folder)
    matching = read_texts(text_folder, TEXT)
    found = Retriever(matching.index, BM25()).top([matching.queries["q0"]], 200)[0]
    assert np.sum(collection.data.qid == "q0") == found.size
    assert "of 50 relevant documents" in collection.remarks[0]


FORMATS = {
    "smart": ".I {i}\n.U\n{docno}\n.T\nA title\n.W\n{text}\n",
    "sgml": "<DOC>\n<DOCNO> {docno} </DOCNO>\n<HL>A title</HL>\n<TEXT>\n{text}\n</TEXT>\n</DOC>\n",
}


@pytest.mark.parametrize("form", FORMATS)
def test_formats_of_trec_and_ohsumed(text_folder, form):
    """OHSUMED's qrels have three columns; TREC's topics are in several files, and some have no title."""
    expected = read_text_collection(text_folder).data
    for file in (text_folder / "documents").iterdir():
        lines = [line.split("\t") for line in file.read_text().splitlines()]
        file.write_text("".join(FORMATS[form].format(i=i, docno=docno, text=text) for i, (docno, text) in enumerate(lines)))
    for file in text_folder.glob("topics.*"):
        topics = [line.split("\t") for line in file.read_text().splitlines()]
        file.write_text(
            "".join(f"<top>\n<num> Number: {qid}\n<desc> Description:\n{text}\n</top>\n" for qid, text in topics)
        )
    qrels = text_folder / "qrels.txt"
    qrels.write_text(qrels.read_text().replace(" 0 ", "\t").replace(" ", "\t"))
    data = read_text_collection(text_folder).data
    assert data.docno.tolist() == expected.docno.tolist() and data.y.tolist() == expected.y.tolist()
    assert np.array_equal(data.X[:, 0], expected.X[:, 0])  # counts of the query's terms, which are not in titles


def test_missing_files_are_named(text_folder):
    (text_folder / "qrels.txt").rename(text_folder / "judgments.txt")
    with pytest.raises(
        InputError,
        match=r"texts: no file in this folder is named qrels\*; give --data text=FOLDER, a folder with documents\*",
    ):
        read_texts(text_folder, TEXT)
    (text_folder / "qrels.txt").write_text("q0 0 elsewhere 1\n")
    with pytest.raises(InputError, match="no judged document is in the collection"):
        read_text_collection(text_folder)
    (text_folder / "qrels.txt").write_text("q0 0 d1 1\nq0 0 d1 0\n")
    with pytest.raises(InputError, match="document d1 of query q0 is listed more than once"):
        read_text_collection(text_folder)

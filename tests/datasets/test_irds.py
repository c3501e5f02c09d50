"""Collections of ir_datasets, with one that needs no download."""

from __future__ import annotations

import pytest

from directrank import InputError
from directrank.datasets import from_ir_datasets

ir_datasets = pytest.importorskip("ir_datasets")


class _Docs(ir_datasets.formats.BaseDocs):
    def docs_iter(self):
        yield ir_datasets.formats.TitleUrlTextDoc("d1", "Cats", "http://a", "A cat sat.")
        yield ir_datasets.formats.TitleUrlTextDoc("d2", "Dogs", "http://b", "A dog sat.")


class _Queries(ir_datasets.formats.BaseQueries):
    def queries_iter(self):
        yield ir_datasets.formats.GenericQuery("q1", "cat")


class _Qrels(ir_datasets.formats.BaseQrels):
    def qrels_iter(self):
        yield ir_datasets.formats.TrecQrel("q1", "d1", 2, "0")


class _Gone(ir_datasets.formats.BaseQrels):
    def qrels_iter(self):
        raise RuntimeError("no network\nand much more")


@pytest.fixture(scope="module", autouse=True)
def _registered() -> None:
    ir_datasets.registry.register("directrank-test", ir_datasets.Dataset(_Docs(), _Queries(), _Qrels()))
    ir_datasets.registry.register("directrank-docs", ir_datasets.Dataset(_Docs()))
    ir_datasets.registry.register("directrank-gone", ir_datasets.Dataset(_Docs(), _Queries(), _Gone()))


def test_documents_queries_and_judgments() -> None:
    texts = from_ir_datasets("directrank-test")
    assert texts.queries == {"q1": "cat"}
    documents = dict(texts.documents)
    assert set(documents) == {"d1", "d2"} and "Cats" in documents["d1"] and "A cat sat." in documents["d1"]
    assert (texts.qrels.qid.tolist(), texts.qrels.docno.tolist(), texts.qrels.grade.tolist()) == (["q1"], ["d1"], [2.0])


def test_errors() -> None:
    with pytest.raises(InputError, match="ir_datasets has no collection 'nonsense'"):
        from_ir_datasets("nonsense")
    with pytest.raises(InputError, match="'directrank-docs' has no queries; choose a subset that has"):
        from_ir_datasets("directrank-docs")
    with pytest.raises(InputError, match=r"failed to read the judgments of 'directrank-gone': RuntimeError: no network$"):
        from_ir_datasets("directrank-gone")

"""From text to ranking data as ``directrank features`` does it: reading, indexing, pooling, writing."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...data import InputError, Qrels, RankingData, read_documents, read_links, read_qrels, read_queries, read_urls
from ...datasets import Texts, from_ir_datasets
from ...features import ADARANK_FEATURES, with_web_features
from ...retrieval import BM25, FUNCTIONS, TextIndex, pool, porter
from ..commands.features import Features
from ..console.output import note, print_json, spinner
from ..console.output_files import shown
from ..options.formats import format_of
from .convert import write_data, written

_IRDS = "irds:"
_FUNCTIONS = {Features.base: FUNCTIONS, Features.adarank: ADARANK_FEATURES, Features.web: (BM25(),)}


class Given(NamedTuple):
    """What features are made of; as the options have it."""

    documents: str
    queries: Path | None
    qrels: Path | None
    topic_field: str
    in_order: bool
    fields: list[str] | None
    stop_words: str
    links: Path | None
    in_links: bool
    urls: Path | None

    def texts(self) -> Texts:
        """Documents, queries and judgments."""
        return _of_collection(self.documents, self.queries, self.qrels) or Texts(
            read_documents(self.documents, self.fields),
            read_queries(_named(self.queries), self.topic_field, in_order=self.in_order),
            read_qrels(_named(self.qrels)),
        )


def make_features(given: Given, which: Features, depth: int, output: Path, as_json: bool) -> None:
    """Index documents, pool what is found for the queries, write its scores, and say what was written."""
    analyser = porter(given.stop_words)
    with spinner("Reading"):
        texts = given.texts()
    with spinner("Indexing"):
        analysers = ("plain", "porter", analyser) if which is Features.base else (analyser,)
        indices = TextIndex.build_all(texts.documents, analysers)
    with spinner("Reading links and URLs"):
        docnos = list(indices[-1].docnos)
        linked = None if given.links is None else read_links(given.links, docnos, incoming=given.in_links)
        addresses = None if given.urls is None else read_urls(given.urls, docnos)
    with spinner(f"Scoring {len(texts.queries):,} queries in {indices[0].n_documents:,} documents"):
        data = pool(indices, texts.queries, texts.qrels, depth=depth, functions=_FUNCTIONS[which])
        if linked is not None or addresses is not None:
            data = with_web_features(data, indices[-1], texts.queries, links=linked, urls=addresses)
    with spinner(f"Writing {output}"):
        write_data(output, format_of(output), data)
    if as_json:
        print_json(written(output, format_of(output), data))
    else:
        note(f"{shown(output)}: {data}")
    _note_what_is_missing(texts.qrels, data)


def _note_what_is_missing(qrels: Qrels, data: RankingData) -> None:
    queries = len(set(qrels.qid.tolist())) - data.n_queries
    if queries:
        note(f"{queries:,} of the judged queries have no text, or no document has a term of them; they are not there.")
    relevant, found = int(np.sum(qrels.grade > 0)), int(np.sum(data.y > 0))
    if found < relevant:
        note(f"{relevant - found:,} of {relevant:,} relevant documents are not there: no function found them.")


def _of_collection(documents: str, queries: Path | None, qrels: Path | None) -> Texts | None:
    """The texts of a collection of ir_datasets; None if these are files."""
    if not documents.startswith(_IRDS):
        return None
    if queries or qrels:
        raise InputError("a collection of ir_datasets has its own queries and qrels; name it alone")
    return from_ir_datasets(documents.removeprefix(_IRDS))


def _named(file: Path | None) -> Path:
    if file is None:
        raise InputError("name three files, DOCS QUERIES QRELS, or a collection as irds:NAME")
    return file

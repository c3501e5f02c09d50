"""``directrank features``: read texts, index them, pool documents for the queries, and write their scores as features."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...data import InputError, Qrels, RankingData, read_documents, read_links, read_qrels, read_queries, read_urls
from ...data.formats.file_format import format_of
from ...data.formats.ranking_writer import write_ranking_data
from ...data.shown_ids import some_of
from ...datasets import Texts, from_ir_datasets
from ...features import ADARANK_FEATURES, with_web_features
from ...retrieval import BM25, FUNCTIONS, TextIndex, pool, porter
from ..console.output_files import check_output_file
from ..console.progress import spinner
from ..console.streams import note
from ..options.feature_sets import FeatureSet
from ..options.formats import DEFAULT_TOPIC_FIELD
from .convert import print_summary

_IRDS = "irds:"
_FUNCTIONS = {FeatureSet.base: FUNCTIONS, FeatureSet.adarank: ADARANK_FEATURES, FeatureSet.web: (BM25(),)}


class TextFiles(NamedTuple):
    """Files of documents, queries and judgments, and how to read them."""

    documents: str
    queries: Path | None
    qrels: Path | None
    topic_field: str | None
    in_order: bool
    fields: str | None

    def read(self) -> Texts:
        """Read the files, or the collection of ir_datasets that is named in their place."""
        if self.documents.startswith(_IRDS):
            if self.queries or self.qrels:
                raise InputError("a collection of ir_datasets has its own queries and qrels; name it alone")
            others = {"--topic-field": self.topic_field, "--in-order": self.in_order or None, "--fields": self.fields}
            for option in [option for option, value in others.items() if value is not None]:
                raise InputError(f"{option} is for files, and {self.documents} is a collection of ir_datasets; leave it out")
            return from_ir_datasets(self.documents.removeprefix(_IRDS))
        if self.queries is None or self.qrels is None:
            raise InputError("name three files, DOCS QUERIES QRELS, or a collection as irds:NAME")
        return Texts(
            read_documents(self.documents, _parse_fields(self.fields)),
            read_queries(self.queries, self.topic_field or DEFAULT_TOPIC_FIELD, in_order=self.in_order),
            read_qrels(self.qrels),
        )


class FeaturesOptions(NamedTuple):
    """Options of ``directrank features``."""

    texts: TextFiles
    feature_set: FeatureSet
    depth: int
    stop_words: str
    links: Path | None
    in_links: bool
    urls: Path | None
    output: Path
    as_json: bool


def run(options: FeaturesOptions) -> None:
    """Write ranking data, and print its size and what was dropped."""
    _check(options)
    analyser = porter(options.stop_words)
    with spinner("Reading"):
        texts = options.texts.read()
    _check_common_queries(texts)
    with spinner("Indexing"):
        analysers = ("plain", "porter", analyser) if options.feature_set is FeatureSet.base else (analyser,)
        indexes = TextIndex.build_all(texts.documents, analysers)
    with spinner("Reading links and URLs"):
        docnos = list(indexes[-1].docnos)
        links = None if options.links is None else read_links(options.links, docnos, incoming=options.in_links)
        urls = None if options.urls is None else read_urls(options.urls, docnos)
    with spinner(f"Scoring {len(texts.queries):,} queries in {indexes[0].n_documents:,} documents"):
        data = pool(indexes, texts.queries, texts.qrels, depth=options.depth, functions=_FUNCTIONS[options.feature_set])
        if links is not None or urls is not None:
            data = with_web_features(data, indexes[-1], texts.queries, links=links, urls=urls)
    output = options.output
    with spinner(f"Writing {output}"):
        write_ranking_data(output, data)
    print_summary(output, format_of(output), data, options.as_json)
    _note_dropped(texts.qrels, data)


def _check_common_queries(texts: Texts) -> None:
    """Raise an error if no query with a text was judged."""
    asked, judged = list(texts.queries), list(dict.fromkeys(texts.qrels.qid.tolist()))
    if set(asked).isdisjoint(judged):
        raise InputError(
            f"the queries ({some_of(asked)}) and the qrels ({some_of(judged)}) have no query in common; check that they "
            "belong together, and that the files are in the order DOCS QUERIES QRELS"
        )


def _check(options: FeaturesOptions) -> None:
    """Raise an error, before any work, if options do not fit or the data cannot be written."""
    output, texts, links, urls = options.output, options.texts, options.links, options.urls
    if format_of(output).is_trec:
        raise InputError(f"{output} is a TREC file by its name, and ranking data is written; name it .txt or .parquet")
    check_output_file(output, [Path(texts.documents), texts.queries, texts.qrels, links, urls], options.as_json)
    if options.feature_set is FeatureSet.web and links is None and urls is None:
        raise InputError("--feature-set web needs --links FILE or --urls FILE, or both")
    if options.in_links and links is None:
        raise InputError("--in-links describes the lines of --links; name that file too")
    for file in (links, urls):
        if file is not None:
            file.stat()  # an error now if there is no such file: they are read last
    _parse_fields(texts.fields)


def _parse_fields(fields: str | None) -> list[str] | None:
    names = None if fields is None else [field.strip() for field in fields.split(",")]
    if names is not None and not all(names):
        raise InputError(f"--fields {fields!r} has an empty name; separate names by commas, as title,text")
    return names


def _note_dropped(qrels: Qrels, data: RankingData) -> None:
    """Note judged queries and relevant documents that are not in the data."""
    n_queries = len(set(qrels.qid.tolist())) - data.n_queries
    if n_queries:
        note(f"{n_queries:,} of the judged queries were dropped: no query text or no matching document.")
    relevant, found = int(np.sum(qrels.grade > 0)), int(np.sum(data.y > 0))
    if found < relevant:
        note(f"{relevant - found:,} of {relevant:,} relevant documents were not retrieved by any function.")

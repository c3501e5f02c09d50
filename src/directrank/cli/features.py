"""``directrank features``: from text to ranking data."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from ..data import InputError, Qrels, RankingData, read_documents, read_links, read_qrels, read_queries, read_urls
from ..datasets import Texts, from_ir_datasets
from ..features import ADARANK_FEATURES, with_web_features
from ..retrieval import BM25, FUNCTIONS, TextIndex, pool, porter
from .convert import write_data
from .formats import Format, MaxSize, TopicField, check_target, format_of
from .output import note, spinner

_IRDS = "irds:"


class Features(StrEnum):
    base = "base"
    adarank = "adarank"
    web = "web"


_FUNCTIONS = {Features.base: FUNCTIONS, Features.adarank: ADARANK_FEATURES, Features.web: (BM25(),)}


DocsArgument = Annotated[
    str,
    typer.Argument(
        metavar="DOCS",
        help="A file or folder: JSON lines, TSV, TREC's SGML or web pages, SMART, OHSUMED; or irds:NAME.",
    ),
]
QueriesArgument = Annotated[Path | None, typer.Argument(metavar="QUERIES", help="JSON lines, TSV, TREC topics or SMART.")]
QrelsArgument = Annotated[Path | None, typer.Argument(metavar="QRELS", help="TREC judgments.")]
OutputOption = Annotated[Path, typer.Option("--output", "-o", help="Where to write the data: LETOR text or .parquet.")]
FeaturesOption = Annotated[
    Features,
    typer.Option(
        "--features",
        help="15 base functions (five on three indices), the 7 of AdaRank's Table 2, or BM25 alone, for its Table 4.",
    ),
]
DepthOption = Annotated[int, typer.Option(help="How many documents of each function are pooled.", min=1)]
InOrderOption = Annotated[
    bool, typer.Option("--in-order", help="Number the queries 1, 2, … in their order, as Cranfield's judgments do.")
]
FieldsOption = Annotated[
    str | None, typer.Option(metavar="NAMES", help="Which fields of the documents to index: title,text,mesh.")
]
StopWordsOption = Annotated[
    str, typer.Option(metavar="LIST", help="scikit-learn, indri, or a file of words: left out of the last index.")
]
LinksOption = Annotated[
    Path | None,
    typer.Option(help="Links, SOURCE TARGET...: adds PageRank, and scores and terms propagated along links (Table 4)."),
]
InLinksOption = Annotated[bool, typer.Option("--in-links", help="The lines of --links are TARGET SOURCE...")]
UrlsOption = Annotated[
    Path | None,
    typer.Option(
        help="URLs, DOCNO URL, or web pages as DOCS: adds propagation along the tree of URLs; with --links, HostRank."
    ),
]


def features(
    documents: DocsArgument,
    queries: QueriesArgument = None,
    qrels: QrelsArgument = None,
    output: OutputOption = ...,  # type: ignore[assignment]
    which: FeaturesOption = Features.base,
    depth: DepthOption = 1000,
    topic_field: TopicField = "title",
    in_order: InOrderOption = False,
    fields: FieldsOption = None,
    stop_words: StopWordsOption = "scikit-learn",
    links: LinksOption = None,
    in_links: InLinksOption = False,
    urls: UrlsOption = None,
    max_size: MaxSize = None,
) -> None:
    """Index documents, pool what retrieval functions find for each judged query, and write their scores as features.

    directrank features docs.jsonl queries.tsv qrels.txt -o data.parquet

    directrank features irds:beir/scifact/test -o data.parquet

    directrank features pages/ topics.txt qrels.txt --features web --links links.gz --urls pages/ -o data.parquet
    """
    if format_of(output) in (Format.run, Format.qrels):
        raise InputError(f"{output} is a TREC file by its name, and ranking data is to be written; name it .txt or .parquet")
    check_target(output, [Path(documents), queries, qrels, links, urls])
    _check_links(which, links, in_links, urls)
    names, analyser = _names_of(fields), porter(stop_words)
    with spinner("Reading"):
        texts = _of_collection(documents, queries, qrels) or Texts(
            read_documents(documents, names),
            read_queries(_named(queries), topic_field, in_order=in_order),
            read_qrels(_named(qrels)),
        )
    with spinner("Indexing"):
        analysers = ("plain", "porter", analyser) if which is Features.base else (analyser,)
        indices = TextIndex.build_all(texts.documents, analysers)
    with spinner("Reading links and URLs"):
        docnos = list(indices[-1].docnos)
        linked = None if links is None else read_links(links, docnos, incoming=in_links)
        addresses = None if urls is None else read_urls(urls, docnos)
    with spinner(f"Scoring {len(texts.queries):,} queries in {indices[0].n_documents:,} documents"):
        data = pool(indices, texts.queries, texts.qrels, depth=depth, functions=_FUNCTIONS[which])
        if linked is not None or addresses is not None:
            data = with_web_features(data, indices[-1], texts.queries, links=linked, urls=addresses)
    with spinner(f"Writing {output}"):
        write_data(output, format_of(output), data)
    note(f"{output}: {data}")
    _note_what_is_missing(texts.qrels, data)


def _check_links(which: Features, links: Path | None, in_links: bool, urls: Path | None) -> None:
    """Refuse, before any work, options that do not fit; the files are read last."""
    if which is Features.web and links is None and urls is None:
        raise InputError("--features web needs --links FILE or --urls FILE, or both")
    if in_links and links is None:
        raise InputError("--in-links says what the lines of --links are; name that file too")
    for file in (links, urls):
        if file is not None:
            file.stat()


def _names_of(fields: str | None) -> list[str] | None:
    names = None if fields is None else [field.strip() for field in fields.split(",")]
    if names is not None and not all(names):
        raise InputError(f"--fields {fields!r} has an empty name; separate names by commas, as title,text")
    return names


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

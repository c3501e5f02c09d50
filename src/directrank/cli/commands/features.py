"""``directrank features``: from text to ranking data."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ...data.errors import InputError
from ..console.output_files import check_target
from ..options.common import TARGET, AsJson
from ..options.formats import Format, MaxSize, TopicField, format_of


class Features(StrEnum):
    base = "base"
    adarank = "adarank"
    web = "web"


DocsArgument = Annotated[
    str,
    typer.Argument(
        metavar="DOCS",
        help="A file or folder: JSON lines, TSV, TREC's SGML or web pages, SMART, OHSUMED; or irds:NAME.",
    ),
]
QueriesArgument = Annotated[Path | None, typer.Argument(metavar="QUERIES", help="JSON lines, TSV, TREC topics or SMART.")]
QrelsArgument = Annotated[Path | None, typer.Argument(metavar="QRELS", help="TREC judgments.")]
OutputOption = Annotated[
    Path,
    typer.Option("--output", "-o", help="Where to write the data: LETOR text or .parquet; - is standard output.", **TARGET),
]
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
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Index documents, pool what retrieval functions find for each judged query, and write their scores as features.

    directrank features docs.jsonl queries.tsv qrels.txt -o data.parquet

    directrank features irds:beir/scifact/test -o data.parquet

    directrank features pages/ topics.txt qrels.txt --features web --links links.gz --urls pages/ -o data.parquet
    """
    from ..actions.features import Given, make_features

    if format_of(output) in (Format.run, Format.qrels):
        raise InputError(f"{output} is a TREC file by its name, and ranking data is to be written; name it .txt or .parquet")
    check_target(output, [Path(documents), queries, qrels, links, urls], as_json)
    _check_links(which, links, in_links, urls)
    given = Given(documents, queries, qrels, topic_field, in_order, _names_of(fields), stop_words, links, in_links, urls)
    make_features(given, which, depth, output, as_json)


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

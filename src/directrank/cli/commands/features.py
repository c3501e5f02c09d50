"""``directrank features``: make ranking data from text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options.common import AsJson, output_file
from ..options.feature_sets import FeatureSet, FeaturesOption
from ..options.formats import TopicField
from ..options.max_size import MaxSize

DocsArgument = Annotated[
    str,
    typer.Argument(
        metavar="DOCS",
        help="Documents, a file or folder: JSON lines, TSV, TREC SGML, web pages, SMART or OHSUMED; or irds:NAME, a "
        "collection of ir_datasets with its queries and judgments.",
    ),
]
QueriesArgument = Annotated[
    Path | None, typer.Argument(metavar="QUERIES", help="Queries: JSON lines, TSV, TREC topics or SMART.")
]
QrelsArgument = Annotated[Path | None, typer.Argument(metavar="QRELS", help="TREC relevance judgments.")]
DepthOption = Annotated[
    int, typer.Option(metavar="N", help="Number of documents to pool from each retrieval function.", min=1)
]
InOrderOption = Annotated[
    bool, typer.Option("--in-order", help="Number the queries 1, 2, ... in file order, as Cranfield's judgments do.")
]
FieldsOption = Annotated[
    str | None, typer.Option(metavar="NAMES", help="Fields of the documents to index, such as title,text,mesh.")
]
StopWordsOption = Annotated[
    str,
    typer.Option(metavar="LIST", help="Stop words left out of the last index: scikit-learn, indri, or a file of words."),
]
LinksOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Links, as lines SOURCE TARGET...; adds PageRank, and scores and terms propagated along links."
    ),
]
InLinksOption = Annotated[
    bool, typer.Option("--in-links", help="The lines of --links are TARGET SOURCE... (incoming links).")
]
UrlsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        help="URLs, as lines DOCNO URL, or web pages as in DOCS; adds scores propagated along the URL tree and, with "
        "--links, the PageRank of hosts.",
    ),
]


def features(
    documents: DocsArgument,
    queries: QueriesArgument = None,
    qrels: QrelsArgument = None,
    output: Annotated[Path, output_file("Data file to write: LETOR text or .parquet; - is standard output.")] = ...,  # type: ignore[assignment]
    feature_set: FeaturesOption = FeatureSet.base,
    depth: DepthOption = 1000,
    topic_field: TopicField = None,
    in_order: InOrderOption = False,
    fields: FieldsOption = None,
    stop_words: StopWordsOption = "scikit-learn",
    links: LinksOption = None,
    in_links: InLinksOption = False,
    urls: UrlsOption = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Index documents, pool the results of retrieval functions for each judged query, and write their scores as features.

    directrank features docs.jsonl queries.tsv qrels.txt -o data.parquet

    directrank features irds:beir/scifact/test -o data.parquet

    directrank features pages/ topics.txt qrels.txt --feature-set web --links links.gz --urls pages/ -o data.parquet
    """
    from ..actions.features import FeaturesOptions, TextFiles, run

    texts = TextFiles(documents, queries, qrels, topic_field, in_order, fields)
    run(FeaturesOptions(texts, feature_set, depth, stop_words, links, in_links, urls, output, as_json))

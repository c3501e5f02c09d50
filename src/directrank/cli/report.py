"""``directrank report``: the comparison of rankings as a page to look at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from . import rankings as given
from .feature_names import FeatureNames
from .formats import MaxSize, TopicField
from .measure_names import TiesOption
from .options import TARGET, AsJson, MeasuresOption
from .output import note, print_json
from .queries_option import QueriesOf


def report(
    files: given.FilesArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the page; - is standard output.", **TARGET)],
    qrels: given.QrelsOption = None,
    models: given.ModelsOption = None,
    scores: given.ScoresOption = None,
    measures: MeasuresOption = None,
    baseline: given.BaselineOption = None,
    documents: Annotated[
        Path | None, typer.Option(help="Texts of the documents, a file or folder; the first line is the title.")
    ] = None,
    queries: Annotated[Path | None, typer.Option(help="Texts of the queries: JSON lines, TSV, topics or SMART.")] = None,
    topic_field: TopicField = "title",
    title: Annotated[str | None, typer.Option(help="Of the page.")] = None,
    depth: Annotated[int, typer.Option(help="How many documents of each ranking the page holds.", min=1)] = 100,
    test: given.TestOption = "randomisation",
    correction: given.CorrectionOption = "holm",
    ties: TiesOption = None,
    missing: given.MissingOption = given.Missing.zero,
    alpha: given.AlphaOption = 0.05,
    permutations: given.PermutationsOption = 100_000,
    feature_names: FeatureNames = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Write a page that compares rankings: tables, charts, and every query, in one file that needs no network.

    directrank report --qrels QRELS RUN... --documents docs.jsonl --queries queries.tsv -o report.html

    directrank report DATA --model svm.json --scores theirs.txt -o report.html
    """
    from ..data import read_documents, read_queries
    from .comparing import compare_sources
    from .measuring import without_relevant
    from .page import check_page, save_page

    sources = given.Sources(files, qrels, models or [], scores or [])
    check_page(output, [*sources.all, documents, queries], as_json)
    if documents is not None:
        documents.stat()  # they are read last, and it is now that it should be said if there are none
    texts = None if queries is None else read_queries(queries, topic_field)
    of = QueriesOf.qrels
    how = given.How(measures, baseline, test, correction, ties, of, missing, alpha, permutations, feature_names)
    found = compare_sources(sources, how)
    for line in without_relevant(next(iter(found.report.evaluations.values()))):
        note(line)
    save_page(
        found.report,
        output,
        title=title,
        models=found.models,
        documents=None if documents is None else ((each.docno, each.text) for each in read_documents(documents)),
        queries=texts,
        depth=depth,
        silent=as_json,
    )
    if as_json:
        print_json({"page": str(output), **json.loads(found.report.to_json())})

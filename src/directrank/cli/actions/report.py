"""``directrank report``: write the comparison of rankings as an HTML report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from ...data import InputError, read_documents, read_queries
from ..console.output import print_json
from ..console.report_page import check_report_page, save_report_page
from ..console.streams import note
from ..options.formats import DEFAULT_TOPIC_FIELD
from ..options.rankings import ComparisonOptions, RankingFiles
from ._rankings import queries_without_relevant
from .compare import compare_rankings


class ReportOptions(NamedTuple):
    """Options of ``directrank report``: the rankings, how to compare them, and the content of the report."""

    files: RankingFiles
    comparison: ComparisonOptions
    output: Path
    documents: Path | None
    query_texts: Path | None
    topic_field: str | None
    title: str | None
    depth: int
    as_json: bool


def run(options: ReportOptions) -> None:
    """Compare the rankings, and write the report."""
    documents, query_texts = options.documents, options.query_texts
    check_report_page(options.output, [*options.files.inputs, documents, query_texts], options.as_json)
    if documents is not None:
        documents.stat()  # an error now if there is no such file: documents are read last
    if query_texts is None and options.topic_field is not None:
        raise InputError("--topic-field selects a field of --query-texts; name that file too")
    texts = None if query_texts is None else read_queries(query_texts, options.topic_field or DEFAULT_TOPIC_FIELD)
    compared = compare_rankings(options.files, options.comparison)
    if texts is not None:
        n_without = sum(str(qid) not in texts for qid in compared.report.qid)
        if 0 < n_without < len(compared.report.qid):
            note(f"{query_texts} has no text for {n_without:,} of the {len(compared.report.qid):,} queries.")
    for line in queries_without_relevant(next(iter(compared.report.evaluations.values()))):
        note(line)
    save_report_page(
        compared.report,
        options.output,
        title=options.title,
        models=compared.models,
        documents=None if documents is None else ((each.docno, each.text) for each in read_documents(documents)),
        queries=texts,
        depth=options.depth,
        silent=options.as_json,
    )
    if options.as_json:
        print_json({"page": str(options.output), **json.loads(compared.report.to_json())})

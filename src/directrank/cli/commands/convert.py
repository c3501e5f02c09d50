"""``directrank convert``: convert between file formats."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...data.formats.file_format import Format
from ..options.columns import ColumnOptions
from ..options.common import AsJson
from ..options.formats import InputFormat
from ..options.max_size import MaxSize


def convert(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="INPUT... OUTPUT", help="Files to read and, last, the file to write; - is standard output."),
    ],
    to: Annotated[
        Format | None,
        typer.Option(
            metavar="FORMAT",
            help="Output format: csv, tsv, jsonl, parquet, arrow, letor, run or qrels. By extension by default.",
        ),
    ] = None,
    qrels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Judgments (TREC qrels, or a table such as query,docid,rating) to join with the inputs: tables of "
            "features, TREC runs (one feature each), or search engine logs.",
        ),
    ] = None,
    input_format: Annotated[
        InputFormat | None,
        typer.Option("--from", help="Content of the inputs, if it cannot be inferred from their names and contents."),
    ] = None,
    log: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Log to use if there are several: a log spec of Elasticsearch, a field of Solr."),
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(
            metavar="VALUE",
            help="Value of missing features (NaN): a number. Default in runs: 'lowest' (of the run in the query); in logs: "
            "NaN, or 0 where Solr omits it.",
        ),
    ] = None,
    unjudged: Annotated[
        str | None,
        typer.Option(metavar="GRADE", help="Grade of documents without a judgment: a number (default 0) or 'drop'."),
    ] = None,
    scores: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Scores of the rows, one per line, for writing a run.")
    ] = None,
    shards: Annotated[
        int | None,
        typer.Option(metavar="N", help="Write a folder of N Parquet files with whole queries in each."),
    ] = None,
    columns: ColumnOptions = ColumnOptions(),
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Convert between tables, LETOR text, and TREC runs and qrels; join features, runs or engine logs with judgments.

    directrank convert train.csv train.parquet

    directrank convert --qrels judgments.csv features.csv train.csv

    directrank convert --qrels QRELS RUN... data.txt.gz

    directrank convert --qrels QRELS responses.jsonl data.parquet

    directrank convert data.txt --scores scores.txt ranking.run

    directrank convert train.txt train --shards 8
    """
    from ..actions.convert import ConvertOptions, run

    run(ConvertOptions(files, to, qrels, input_format, log, missing, unjudged, scores, shards, columns, as_json))

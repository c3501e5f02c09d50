"""``directrank convert``: from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...data.errors import InputError
from ..console.output_files import as_target
from ..options.common import AsJson
from ..options.feature_names import FeatureNames
from ..options.formats import Format, MaxSize, Source


def convert(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="SOURCE... TARGET", help="What to read, and last what to write; - is standard output."),
    ],
    to: Annotated[
        Format | None,
        typer.Option(help="The target's format; by default told by its name, LETOR text if that says nothing."),
    ] = None,
    qrels: Annotated[
        Path | None,
        typer.Option(help="Judgments: the sources are TREC runs, one feature each, or logs of a search engine."),
    ] = None,
    source: Annotated[
        Source | None,
        typer.Option("--from", help="What is joined with --qrels, where the names of the sources do not tell."),
    ] = None,
    log: Annotated[
        str | None, typer.Option(help="Which of several logs: a log spec of Elasticsearch, a field of Solr.")
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(
            help="A feature without a value: a number. By default, in runs 'lowest' (of the run in the query), in logs NaN, "
            "or 0 where Solr leaves it out."
        ),
    ] = None,
    unjudged: Annotated[
        str | None, typer.Option(help="The grade of a document without a judgment: a number, by default 0, or 'drop'.")
    ] = None,
    scores: Annotated[Path | None, typer.Option(help="The scores of a run to write, one in a line.")] = None,
    shards: Annotated[
        int | None,
        typer.Option(metavar="K", help="The target is a folder: divide the queries among K Parquet files in it."),
    ] = None,
    feature_names: FeatureNames = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Convert between LETOR text, Parquet, and TREC runs and qrels; join runs, or logs of search engines, with judgments.

    directrank convert train.txt train.parquet

    directrank convert --qrels QRELS RUN... data.txt.gz

    directrank convert --qrels QRELS responses.jsonl data.parquet

    directrank convert data.txt --scores scores.txt ranking.run

    directrank convert train.txt train --shards 8
    """
    from ..actions.convert import Joining, convert_files

    *sources, target = files
    if not sources:
        raise InputError("name what to read and, last, what to write")
    joining = Joining(qrels, source, log, missing, unjudged)
    convert_files(sources, as_target(target) or target, to, joining, scores, shards, feature_names, as_json)

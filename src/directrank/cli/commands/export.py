"""``directrank export``: write a model in the format of another engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..console.completion import TARGETS, complete_target
from ..options.common import AsJson, ModelArgument, output_file
from ..options.max_size import MaxSize


def export(
    model: ModelArgument,
    to: Annotated[
        str, typer.Option(metavar="TARGET", help=f"Target: {', '.join(TARGETS)}.", autocompletion=complete_target)
    ],
    output: Annotated[Path | None, output_file("File to write; standard output by default.")] = None,
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Name of the model in the engine (in SQL, of the view); the file name by default."
        ),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Name of the Solr feature store, feature set or SQL table with the features."),
    ] = None,
    shift: Annotated[
        bool,
        typer.Option("--shift", help="Add a constant so that no score is negative, as Lucene requires."),
    ] = False,
    ranklib: Annotated[
        bool, typer.Option("--ranklib", help="Use the type model/ranklib of the Elasticsearch and OpenSearch plugins.")
    ] = False,
    engine_version: Annotated[
        str | None,
        typer.Option(
            metavar="VERSION",
            help="Version of the engine, for opensearch-ltr, elasticsearch and solr; a current one by default.",
        ),
    ] = None,
    part: Annotated[
        str | None,
        typer.Option(
            metavar="linear|trees", help="Part of a model with a linear start, for targets that take only one of them."
        ),
    ] = None,
    feature_definitions: Annotated[
        bool,
        typer.Option("--feature-definitions", help="Write templates of the feature definitions instead of the model."),
    ] = False,
    check: Annotated[
        Path | None,
        typer.Option(metavar="DATA", help="Score data with both the export and the model, and compare the rankings."),
    ] = None,
    feature_names: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|A,B,C",
            help="Feature names of the engine: a file with one name per line, a JSON list, or comma-separated names.",
        ),
    ] = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Write a model in the format of another engine; docs/serving.md explains how to deploy it there.

    directrank export model.json --to solr --name ltr --store products -o solr.json

    directrank export model.json --to elasticsearch-ltr --feature-definitions -o features.json

    directrank export model.json --to opensearch-ltr --engine-version 3.5 -o plugin.json

    directrank export model.json --to onnx -o model.onnx --check test.txt
    """
    from ..actions.export import EngineOptions, ExportOptions, run

    engine = EngineOptions(name, store, shift, ranklib, engine_version)
    run(ExportOptions(model, to, output, engine, part, feature_definitions, check, feature_names, as_json))

"""``directrank export``: a model in the format of another engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...data.errors import InputError
from ..console.completion import TARGETS, complete_target
from ..console.output_files import check_target
from ..options.common import TARGET, AsJson
from ..options.feature_names import FeatureNames
from ..options.formats import MaxSize


def export(
    model: Annotated[Path, typer.Argument(help="What directrank train wrote.")],
    to: Annotated[str, typer.Option(metavar="TARGET", help=f"{', '.join(TARGETS)}.", autocompletion=complete_target)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write; standard output by default.", **TARGET)
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="The model's name in the engine (the view's in SQL); by default that of the file.")
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(help="Where the engine has the features: Solr's feature store, the feature set, SQL's table."),
    ] = None,
    shift: Annotated[
        bool,
        typer.Option("--shift", help="Add a constant to the first tree so that no score is negative, as Lucene needs it."),
    ] = False,
    ranklib: Annotated[
        bool, typer.Option("--ranklib", help="For the plugins of Elasticsearch and OpenSearch: as model/ranklib.")
    ] = False,
    features: Annotated[
        bool, typer.Option("--features", help="Write definitions of the features, to fill in, instead of the model.")
    ] = False,
    check: Annotated[
        Path | None, typer.Option(metavar="DATA", help="Score data with the export and with the model, and compare.")
    ] = None,
    feature_names: FeatureNames = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Write a model as another engine takes it; docs/serving.md has the way there for each.

    directrank export model.json --to solr --name ltr --store products -o solr.json

    directrank export model.json --to elasticsearch-ltr --features -o features.json

    directrank export model.json --to onnx -o model.onnx --check test.txt
    """
    from ..actions.export import export_model, target_named

    target = target_named(to)
    if output is not None:
        check_target(output, [model, check], as_json)
    elif as_json and check is None:
        raise InputError("standard output is the export itself, so --json has no place there; name a file (-o FILE)")
    elif not (target.is_text or features or check):
        raise InputError(f"{target.name} is a binary format: name a file to write (-o FILE)")
    if features and check is not None:
        raise InputError("--features writes no model that --check could score with; leave one of them out")
    options = {"name": name, "store": store, "shift": shift or None, "ranklib": ranklib or None}
    export_model(model, target, output, options, features, check, feature_names, as_json)

"""``directrank export``: a model in the words of another engine."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from scipy import sparse

from ..data import InputError
from ..data.bytes.files import half_of_memory
from ..models import Model, load_model
from ..models.export import TARGETS, Agreement, Exported, Target, agreement, lowest_score_of, portable_of
from .formats import MaxSize, check_target
from .learners import one_of
from .matching import read_matching
from .output import as_text, note, print_line, print_table, spinner

Options = dict[str, Any]

if TYPE_CHECKING:
    TargetName = str
else:
    TargetName = one_of("TargetName", TARGETS)


def export(
    model: Annotated[Path, typer.Argument(help="What directrank train wrote.")],
    to: Annotated[TargetName, typer.Option(metavar="TARGET", help=f"{', '.join(TARGETS)}.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write; standard output by default.")
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
    max_size: MaxSize = None,
) -> None:
    """Write a model as another engine takes it; docs/serving.md has the way there for each.

    directrank export model.json --to solr --name ltr --store products -o solr.json

    directrank export model.json --to elasticsearch-ltr --features -o features.json

    directrank export model.json --to onnx -o model.onnx --check test.txt
    """
    target = TARGETS[to]
    if output is not None:
        check_target(output, [model, check])
    elif not (target.is_text or features or check):
        raise InputError(f"{to} is a binary format: name a file to write (-o FILE)")
    if features and check is not None:
        raise InputError("--features writes no model that --check could score with; leave one of them out")
    if check is not None:
        target.check_runtime()
    learned = load_model(model)
    options: Options = {"name": name, "store": store, "shift": shift or None, "ranklib": ranklib or None}
    if features:
        made = target.write_features(learned, options)
    else:
        made = target.write(learned, options | _default_name(target, name, model))
    for sentence in made.notes:
        note(sentence)
    agreed = None if check is None else _compare(target, learned, made, check, shift)
    if output is not None:
        made.save(output)
    elif agreed is None:
        sys.stdout.write(made.text)
    if agreed is not None:
        _report(agreed, as_text(str(check)))


def _default_name(target: Target, name: str | None, model: Path) -> Options:
    """The name of the model's file, where the target has names and none was given."""
    if name is not None or not target.takes("name"):
        return {}
    stem = as_text(model.name).removesuffix(".gz").removesuffix(".json")
    return {"name": re.sub(r"[^A-Za-z0-9_.-]|^[.-]", "_", stem)[:63] or "model"}


def _compare(target: Target, model: Model, made: Exported, file: Path, shift: bool) -> Agreement:
    data = read_matching(file, model.n_features, model.feature_names)
    if sparse.issparse(data.X) and 8 * data.X.shape[0] * data.X.shape[1] > half_of_memory():
        raise InputError(f"{file} has too many features to check the export with; take fewer rows")
    X = scored = data.X.toarray() if sparse.issparse(data.X) else data.X
    if not model.allows_missing and np.isnan(X).any():
        note(f"{file} has missing values, which the model refuses: it is asked for scores with 0 in their place")
        scored = np.nan_to_num(X, nan=0.0)
    with spinner(f"Scoring {file}"):
        theirs = target.replay(made.content, X, portable_of(model))
    queries = np.zeros(len(data), np.int64) if data.qid is None else np.unique(data.qid, return_inverse=True)[1]
    return agreement(model.scores(scored), theirs, queries, -lowest_score_of(model) if shift else 0.0)


def _report(found: Agreement, file: str) -> None:
    """The figures, and exit code 1 if the export ranks otherwise than the model."""
    rows = [
        ("rows", f"{found.n_rows:,}"),
        ("largest difference of two scores", f"{found.largest_difference:.3g}"),
        ("neighbours ranked the other way round", f"{found.n_reversed:,}"),
        ("neighbours of equal score there, not here", f"{found.n_tied:,}"),
        ("lowest score", f"{found.lowest:.6g}"),
    ]
    print_table([file, ""], rows)
    if found.n_reversed:
        print_line("The export does not rank as the model does.")
        raise typer.Exit(1)
    print_line("The export ranks as the model does" + (", but for ties." if found.n_tied else "."))

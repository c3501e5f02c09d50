"""``directrank export``: write a model in the format of another engine, and check that it ranks the same there."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer
from scipy import sparse

from ...data import InputError
from ...data.feature_names import as_feature_names
from ...data.io.files import half_of_memory
from ...models import Model, load_model
from ...models.export import TARGETS, Agreement, Exported, Target, agreement, as_portable, model_part, score_lower_bound
from ..console.output import as_text, print_json, print_line, print_table
from ..console.output_files import check_output_file
from ..console.progress import spinner
from ..console.streams import note
from ..options.columns import RowColumns
from ..options.feature_names import parse_feature_names
from ._matching import read_for_model


class EngineOptions(NamedTuple):
    """Options that are passed to the target."""

    name: str | None
    store: str | None
    shift: bool
    ranklib: bool
    engine_version: str | None

    def given(self) -> dict[str, Any]:
        """All options, with None for those that are not given."""
        return {name: value or None if isinstance(value, bool) else value for name, value in self._asdict().items()}


class ExportOptions(NamedTuple):
    """Options of ``directrank export``."""

    model: Path
    to: str
    output: Path | None
    engine: EngineOptions
    part: str | None
    feature_definitions: bool
    check: Path | None
    feature_names: str | None
    as_json: bool


def run(options: ExportOptions) -> None:
    """Write the export, and compare it with the model if asked to."""
    target = _find_target(options.to)
    _check(options, target)
    if options.check is not None:
        target.check_runtime()
    model = load_model(options.model)
    trained_on = model.feature_names
    if options.feature_names is not None:
        model = _renamed(model, parse_feature_names(options.feature_names), options.model)
    if options.part is not None:
        model = model_part(model, options.part)
    exported = _export(model, target, options)
    for sentence in exported.notes:
        note(sentence)
    agreed = (
        None if options.check is None else _compare(target, model, exported, trained_on, options.check, options.engine.shift)
    )
    if options.output is not None:
        exported.save(options.output)
    elif agreed is None:
        sys.stdout.write(exported.text)
    if options.as_json:
        print_json(_as_dict(target, options.output, exported, agreed))
    elif agreed is not None:
        _print(agreed, as_text(str(options.check)))
    if agreed is not None and agreed.n_reversed:
        raise typer.Exit(1)


def _find_target(name: str) -> Target:
    """An engine by name, in any case, with hyphens or underscores."""
    spelled = name.lower().replace("_", "-")
    if spelled in TARGETS:
        return TARGETS[spelled]
    near = difflib.get_close_matches(spelled, TARGETS, n=3, cutoff=0.5)
    advice = f"did you mean {' or '.join(near)}?" if near else f"choose one of {', '.join(TARGETS)}"
    raise InputError(f"--to {name}: there is no such target; {advice}")


def _check(options: ExportOptions, target: Target) -> None:
    """Raise an error, before any work, if the export cannot be written or checked."""
    if options.output is not None:
        check_output_file(options.output, [options.model, options.check], options.as_json)
    elif options.as_json and options.check is None:
        raise InputError("standard output is the export itself, so --json cannot be printed there; name a file (-o FILE)")
    elif not (target.is_text or options.feature_definitions or options.check):
        raise InputError(f"{target.name} is a binary format: name a file to write (-o FILE)")
    if options.feature_definitions and options.check is not None:
        raise InputError("--feature-definitions writes no model that --check could score with; leave one of them out")


def _export(model: Model, target: Target, options: ExportOptions) -> Exported:
    if options.feature_definitions:
        return target.write_features(model, options.engine.given())
    return target.write(model, options.engine.given() | _default_name(target, options.engine.name, options.model))


def _renamed(model: Model, names: list[str], file: Path) -> Model:
    """The model with other feature names, for an engine that knows the features by these."""
    if len(names) != model.n_features:
        raise InputError(
            f"--feature-names has {len(names):,} names, and the model in {file} has {model.n_features:,} features"
        )
    return model.with_feature_names(as_feature_names(names, model.n_features))


def _default_name(target: Target, name: str | None, model: Path) -> dict[str, Any]:
    """The model's file name, if the target has names and none was given."""
    if name is not None or not target.takes("name"):
        return {}
    stem = as_text(model.name).removesuffix(".gz").removesuffix(".json")
    return {"name": re.sub(r"[^A-Za-z0-9_.-]|^[.-]", "_", stem)[:63] or "model"}


def _compare(
    target: Target, model: Model, exported: Exported, trained_on: Sequence[str] | None, file: Path, shift: bool
) -> Agreement:
    """Score data with both the export and the model."""
    original = model if trained_on is None else model.with_feature_names(trained_on)
    data = read_for_model([file], original, RowColumns()).data
    if sparse.issparse(data.X) and 8 * data.X.shape[0] * data.X.shape[1] > half_of_memory():
        raise InputError(f"{file} has too many features to check the export with; take fewer rows")
    portable = as_portable(model)
    X = data.X.toarray() if sparse.issparse(data.X) else data.X
    with spinner(f"Scoring {file}"):
        theirs = target.replay(exported.content, X, portable)
    queries = np.zeros(len(data), np.int64) if data.qid is None else np.unique(data.qid, return_inverse=True)[1]
    return agreement(model.scores(X), theirs, queries, -score_lower_bound(model) if shift else 0.0)


def _print(agreed: Agreement, file: str) -> None:
    rows = [
        ("rows", f"{agreed.n_rows:,}"),
        ("largest score difference", f"{agreed.largest_difference:.3g}"),
        ("adjacent pairs swapped", f"{agreed.n_reversed:,}"),
        ("adjacent pairs tied only in the export", f"{agreed.n_tied:,}"),
        ("lowest score", f"{agreed.lowest:.6g}"),
    ]
    print_table([file, ""], rows)
    if agreed.n_reversed:
        print_line("The export does not rank as the model does.")
    else:
        print_line("The export ranks as the model does" + (", except for ties." if agreed.n_tied else "."))


def _as_dict(target: Target, output: Path | None, exported: Exported, agreed: Agreement | None) -> dict[str, Any]:
    return {
        "to": target.name,
        "output": None if output is None else str(output),
        "notes": list(exported.notes),
        "check": None if agreed is None else asdict(agreed),
    }

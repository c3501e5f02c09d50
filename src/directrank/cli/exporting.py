"""Exporting as ``directrank export`` does it: the model in the format of an engine, and whether it ranks the same there."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import typer
from scipy import sparse

from ..data import InputError
from ..data.feature_names import as_feature_names
from ..data.io.files import half_of_memory
from ..models import Model, load_model
from ..models.export import TARGETS, Agreement, Exported, Target, agreement, as_portable, score_lower_bound
from .feature_names import feature_names_of
from .matching import read_matching
from .output import as_text, note, print_json, print_line, print_table, spinner

Options = dict[str, Any]


def target_named(name: str) -> Target:
    """An engine by its name, in any case, with hyphens or underscores."""
    spelled = name.lower().replace("_", "-")
    if spelled in TARGETS:
        return TARGETS[spelled]
    near = difflib.get_close_matches(spelled, TARGETS, n=3, cutoff=0.5)
    advice = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(TARGETS)}"
    raise InputError(f"--to {name}: there is no such target; {advice}")


def export_model(
    file: Path,
    target: Target,
    output: Path | None,
    options: Options,
    features: bool,
    check: Path | None,
    feature_names: str | None,
    as_json: bool,
) -> None:
    """Write the export, say what is to be said of it, and compare it with the model if there is data to do so."""
    if check is not None:
        target.check_runtime()
    learned = load_model(file)
    trained_on = learned.feature_names
    if feature_names is not None:
        learned = _named(learned, feature_names_of(feature_names), file)
    if features:
        made = target.write_features(learned, options)
    else:
        made = target.write(learned, options | _default_name(target, options["name"], file))
    for sentence in made.notes:
        note(sentence)
    agreed = None if check is None else _compare(target, learned, made, trained_on, check, bool(options["shift"]))
    if output is not None:
        made.save(output)
    elif agreed is None:
        sys.stdout.write(made.text)
    if as_json:
        print_json(_as_json(target, output, made, agreed))
    elif agreed is not None:
        _print(agreed, as_text(str(check)))
    if agreed is not None and agreed.n_reversed:
        raise typer.Exit(1)


def _named(model: Model, names: list[str], file: Path) -> Model:
    """The model with these names for its features, for an engine that knows them by others or by any."""
    if len(names) != model.n_features:
        raise InputError(
            f"--feature-names has {len(names):,} names, and the model in {file} has {model.n_features:,} features"
        )
    return model.with_feature_names(as_feature_names(names, model.n_features))


def _default_name(target: Target, name: str | None, model: Path) -> Options:
    """The name of the model's file, where the target has names and none was given."""
    if name is not None or not target.takes("name"):
        return {}
    stem = as_text(model.name).removesuffix(".gz").removesuffix(".json")
    return {"name": re.sub(r"[^A-Za-z0-9_.-]|^[.-]", "_", stem)[:63] or "model"}


def _compare(
    target: Target, model: Model, made: Exported, trained_on: Sequence[str] | None, file: Path, shift: bool
) -> Agreement:
    data = read_matching(file, model.n_features, trained_on or model.feature_names)
    if sparse.issparse(data.X) and 8 * data.X.shape[0] * data.X.shape[1] > half_of_memory():
        raise InputError(f"{file} has too many features to check the export with; take fewer rows")
    X = scored = data.X.toarray() if sparse.issparse(data.X) else data.X
    if not model.allows_missing and np.isnan(X).any():
        note(f"{file} has missing values, which the model refuses: it is asked for scores with 0 in their place")
        scored = np.nan_to_num(X, nan=0.0)
    with spinner(f"Scoring {file}"):
        theirs = target.replay(made.content, X, as_portable(model))
    queries = np.zeros(len(data), np.int64) if data.qid is None else np.unique(data.qid, return_inverse=True)[1]
    return agreement(model.scores(scored), theirs, queries, -score_lower_bound(model) if shift else 0.0)


def _print(found: Agreement, file: str) -> None:
    """How the export and the model agree."""
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
    else:
        print_line("The export ranks as the model does" + (", but for ties." if found.n_tied else "."))


def _as_json(target: Target, output: Path | None, made: Exported, agreed: Agreement | None) -> dict[str, Any]:
    return {
        "to": target.name,
        "output": None if output is None else str(output),
        "notes": list(made.notes),
        "check": None if agreed is None else asdict(agreed),
    }

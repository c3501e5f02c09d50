"""``directrank train`` and ``directrank predict``."""

from __future__ import annotations

import warnings
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from sklearn.exceptions import ConvergenceWarning

from ..data import InputError, RankingData, write_scores
from ..data.files import replacing
from ..evaluation import evaluate
from ..learners import MultivariateSVC, RankSVM, SVMRanker
from ..learners.cutting_plane import Iteration
from ..measures import parse
from ..models import ModelError, dumps, loads
from .formats import read_data
from .output import print_json, print_table, say, working


class Learner(StrEnum):
    svm = "svm"
    ranksvm = "ranksvm"
    multivariate = "multivariate"


def train(
    file: Annotated[Path, typer.Argument(metavar="DATA", help="LETOR text or Parquet.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the model.")],
    learner: Annotated[
        Learner,
        typer.Option(help="svm: structural SVM; ranksvm: pairwise; multivariate: a classifier over the whole file."),
    ] = Learner.svm,
    measure: Annotated[str, typer.Option("--measure", "-m", help="The measure to optimise.")] = "AP",
    validate: Annotated[Path | None, typer.Option(help="Data to choose C by, and to measure.")] = None,
    C: Annotated[str, typer.Option("--C", help="A number, or 'auto': by --validate, or by folds of the queries.")] = "auto",
    tol: Annotated[float, typer.Option(help="The duality gap to reach, in units of the measure.")] = 1e-3,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Learn a ranking that optimises a measure, and write the model.

    directrank train train.txt --validate vali.txt --measure AP -o model.json
    """
    chosen = parse(measure)
    data = read_data(file)
    held_out = None if validate is None else read_data(validate, data.n_features)
    if not output.resolve().parent.is_dir():
        raise InputError(f"{output}: there is no such folder to write to")
    with working("Training") as status, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        model = _fitted(learner, chosen, C, tol, data, held_out, _show(status, tol))
    for warning in caught:
        say(str(warning.message))
    with replacing(output) as out:
        out.write(dumps(model, data.feature_names).encode())
    _report(model, chosen.name, {str(file): data} | ({} if held_out is None else {str(validate): held_out}), as_json)


def predict(
    model: Annotated[Path, typer.Argument(help="What directrank train wrote.")],
    file: Annotated[Path, typer.Argument(metavar="DATA", help="LETOR text or Parquet.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write a score for each row.")],
) -> None:
    """Score data with a model.

    directrank predict model.json test.txt -o scores.txt
    """
    try:
        learned = loads(model.read_text())
    except (ModelError, UnicodeDecodeError) as error:
        raise InputError(f"{model}: {error}") from error
    data = read_data(file, learned.n_features_in_)
    if data.n_features != learned.n_features_in_:
        raise InputError(f"{file} has {data.n_features} features, and {model} was trained on {learned.n_features_in_}")
    write_scores(output, _scores(learned, data))


def _fitted(
    learner: Learner, measure: Any, C: str, tol: float, data: RankingData, held_out: RankingData | None, callback: Any
) -> Any:
    value: float | str = "auto" if C == "auto" else _number(C)
    if learner is Learner.multivariate:
        if isinstance(value, str):
            raise InputError("the multivariate learner needs a number for --C")
        if data.qid is not None and data.n_queries > 1:
            raise InputError("the multivariate learner takes the whole file as one set, and the data has queries; use svm")
        return MultivariateSVC(measure, value, tol=tol, callback=callback).fit(data.X, data.y > 0)
    if learner is Learner.ranksvm:
        model: SVMRanker = RankSVM(value, tol=tol, callback=callback)
    else:
        model = SVMRanker(measure, value, tol=tol, callback=callback)
    eval_set = None if held_out is None else (held_out.X, held_out.y, held_out.qid)
    return model.fit(data.X, data.y, data.qid, eval_set=eval_set)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"--C must be a number or 'auto', not {text!r}") from None


def _show(status: Any, tol: float) -> Any:
    def update(number: int, step: Iteration) -> None:
        status.update(f"Training: iteration {number}, gap {step.gap:.2g} (to reach {tol:g})")

    return update


def _scores(model: Any, data: RankingData) -> Any:
    return model.decision_function(data.X) if hasattr(model, "decision_function") else model.predict(data.X)


def _report(model: Any, measure: str, sets: dict[str, RankingData], as_json: bool) -> None:
    values = {name: evaluate(d.y, _scores(model, d), d.qid, measure)[measure] for name, d in sets.items()}
    about = {
        "C": float(getattr(model, "C_", model.C)),
        "iterations": model.n_iter_,
        "gap": model.gap_,
        "slack": model.slack_,
    }
    if as_json:
        print_json({"measure": measure, "values": values, **about})
        return
    print_table([measure, ""], values.items())
    print_table(["training", ""], [(name, f"{value:.4g}") for name, value in about.items()])

"""``directrank train`` and ``directrank predict``."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from sklearn.exceptions import ConvergenceWarning

from ..data import InputError, RankingData, write_scores
from ..data.bytes.files import replacing
from ..evaluation import evaluate
from ..learners.base import measure_name
from ..measures import MeasureError, parse
from ..models import ModelError, dumps, loads
from .formats import check_target, read_data
from .learners import Learner, make_learner
from .output import note, print_json, print_line, print_table, spinner


def train(
    file: Annotated[Path, typer.Argument(metavar="DATA", help="LETOR text or Parquet.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the model.")],
    learner: Annotated[Learner, typer.Option(help="How to optimise; see docs/learners.md.")] = Learner.svm,
    measure: Annotated[str, typer.Option("--measure", "-m", help="The measure to optimise.")] = "AP",
    validate: Annotated[Path | None, typer.Option(help="Data to choose by (C, how many rounds), and to measure.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the learner, such as C=10 or max_rounds=100."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Learn a ranking that optimises a measure, and write the model.

    directrank train train.txt --validate vali.txt --measure AP -o model.json
    """
    chosen = parse(measure)
    check_target(output, [file, validate])
    data = read_data(file)
    held_out = None if validate is None else read_data(validate, data.n_features)
    with spinner("Training") as status, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        model = make_learner(learner, chosen, settings or []).set_params(callback=_show(status))
        try:
            _fit(model, learner, data, held_out)
        except (InputError, MeasureError):
            raise
        except ValueError as error:  # scikit-learn's and LightGBM's
            raise InputError(f"{file}: {str(error).splitlines()[0]}") from error
    for warning in caught:
        note(str(warning.message))
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
    check_target(output, [model, file])
    try:
        learned = loads(model.read_text())
    except (ModelError, UnicodeDecodeError) as error:
        raise InputError(f"{model}: {error}") from error
    data = read_data(file, learned.n_features_in_)
    if data.n_features != learned.n_features_in_:
        raise InputError(f"{file} has {data.n_features} features, and {model} was trained on {learned.n_features_in_}")
    write_scores(output, _scores(learned, data))


def _fit(model: Any, learner: Learner, data: RankingData, held_out: RankingData | None) -> None:
    if learner is Learner.multivariate:
        if data.qid is not None and data.n_queries > 1:
            raise InputError("the multivariate learner takes the whole file as one set, and the data has queries; use svm")
        model.fit(data.X, data.y > 0)
    else:
        eval_set = None if held_out is None else (held_out.X, held_out.y, held_out.qid)
        model.fit(data.X, data.y, data.qid, eval_set=eval_set)


def _show(status: Any) -> Any:
    def update(number: int, step: object) -> None:
        status.update(f"Training: step {number}, {step}")

    return update


def _scores(model: Any, data: RankingData) -> Any:
    return model.decision_function(data.X) if hasattr(model, "decision_function") else model.predict(data.X)


def _report(model: Any, measure: str, sets: dict[str, RankingData], as_json: bool) -> None:
    values = {name: evaluate(d.y, _scores(model, d), d.qid, measure)[measure] for name, d in sets.items()}
    about = {key[:-1]: float(value) for key, value in vars(model).items() if key in ("C_", "gap_", "slack_", "objective_")}
    rounds = getattr(model, "best_iteration_", getattr(model, "alphas_", np.empty(0)).size)
    if rounds:
        about["rounds"] = rounds
    if as_json:
        print_json({"measure": measure, "values": values, **about})
        return
    print_table([measure, ""], values.items())
    if about:
        print_table(["training", ""], [(name, f"{value:.4g}") for name, value in about.items()])
    own = measure_name(model.measure)
    if own != measure:
        print_line(f"{type(model).__name__} optimises {own}; {measure} is what its ranking was measured by.")

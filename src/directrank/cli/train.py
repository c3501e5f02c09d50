"""``directrank train`` and ``directrank predict``."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from scipy import sparse

from ..data import InputError, RankingData, write_scores
from ..evaluation import evaluate
from ..learners import LEARNERS
from ..measures import Measure, MeasureError, parse
from ..models import Model, as_model, load_model, save_model
from .ctrl_c import was_pressed
from .formats import MaxSize, check_target, read_data
from .learners import LearnerName, make_learner
from .matching import read_matching
from .output import note, print_json, print_line, print_table, spinner


def train(
    file: Annotated[Path, typer.Argument(metavar="DATA", help="LETOR text or Parquet.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the model.")],
    learner: Annotated[LearnerName, typer.Option(help="How to optimise; see docs/learners.md.")] = "svm",
    measure: Annotated[str, typer.Option("--measure", "-m", help="The measure to optimise.")] = "AP",
    validate: Annotated[Path | None, typer.Option(help="Data to choose by (C, how many rounds), and to measure.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the learner, such as C=10 or max_rounds=100."),
    ] = None,
    keep_partial: Annotated[
        bool, typer.Option("--keep-partial", help="Write the model so far when Ctrl-C ends the training.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    max_size: MaxSize = None,
) -> None:
    """Learn a ranking that optimises a measure, and write the model.

    Ctrl-C ends the training with exit code 130 and leaves the model file as it was, unless --keep-partial is given.

    directrank train train.txt --validate vali.txt --measure AP -o model.json
    """
    chosen = parse(measure)
    check_target(output, [file, validate])
    data = read_data(file)
    held_out = None if validate is None else read_matching(validate, data.n_features, data.feature_names)
    trained = make_learner(learner, chosen, settings or [])
    sets = [(file, data)] if validate is None or held_out is None else [(file, data), (validate, held_out)]
    for path, part in sets:
        if part.qid is None and getattr(trained, "expects_qid", False):
            note(f"{path} has no qid: all its {len(part):,} rows are taken as one query.")
    _train(trained, LEARNERS[learner].learns_queries, sets)
    interrupted = trained.interrupted_ or was_pressed()
    if interrupted and not keep_partial:
        raise KeyboardInterrupt(f"training was interrupted; {output} is as it was (--keep-partial writes the model so far)")
    model = as_model(trained).with_feature_names(data.feature_names)
    save_model(output, model)
    _report(model, chosen, sets, as_json)
    if interrupted:
        raise KeyboardInterrupt(f"training was interrupted; {output} has the model so far")


def predict(
    model: Annotated[Path, typer.Argument(help="What directrank train wrote.")],
    file: Annotated[Path, typer.Argument(metavar="DATA", help="LETOR text or Parquet.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write a score for each row.")],
    max_size: MaxSize = None,
) -> None:
    """Score data with a model.

    directrank predict model.json test.txt -o scores.txt
    """
    check_target(output, [model, file])
    learned = load_model(model)
    data = read_matching(file, learned.n_features, learned.feature_names)
    write_scores(output, learned.predict(data.X))


def _train(learner: Any, learns_queries: bool, sets: list[tuple[Path, RankingData]]) -> None:
    """Fit with a line of progress, then note what there was to warn of."""
    from sklearn.exceptions import ConvergenceWarning  # here, for predict can do without scikit-learn

    with spinner("Training") as status, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        learner.set_params(callback=_show(status))
        try:
            _fit(learner, learns_queries, *(data for _, data in sets))
        except ValueError as error:
            _refuse_missing(error, sets)
            if isinstance(error, (InputError, MeasureError)):
                raise
            raise InputError(f"{sets[0][0]}: {str(error).splitlines()[0]}") from error  # scikit-learn's and LightGBM's
    for warning in caught:
        note(str(warning.message))


def _fit(learner: Any, learns_queries: bool, data: RankingData, held_out: RankingData | None = None) -> None:
    if learns_queries:
        eval_set = None if held_out is None else (held_out.X, held_out.y, _qid(held_out))
        learner.fit(data.X, data.y, _qid(data), eval_set=eval_set)
    elif data.qid is not None and data.n_queries > 1:
        raise InputError("this learner takes the whole file as one set, and the data has queries; use svm")
    else:
        learner.fit(data.X, data.y > 0)


def _refuse_missing(error: ValueError, sets: list[tuple[Path, RankingData]]) -> None:
    """If it is missing values that a learner refuses, say where they are and what to do."""
    for file, data in sets if "contains NaN" in str(error) else ():
        feature = _first_with_nan(data)
        if feature is not None:
            what = f"the feature {feature} has missing values (NaN), which this learner refuses"
            advice = "fill them in (logs: directrank convert --missing 0), or use --learner lambdamart"
            raise InputError(f"{file}: {what}; {advice}") from error


def _first_with_nan(data: RankingData) -> str | None:
    if sparse.issparse(data.X):
        columns = data.X.indices[np.isnan(data.X.data)]
    else:
        columns = np.flatnonzero(np.isnan(data.X).any(axis=0))
    if not columns.size:
        return None
    first = int(columns.min())
    return str(first + 1) if data.feature_names is None else repr(data.feature_names[first])


def _qid(data: RankingData) -> Any:
    """The query of each row; one for all where the file has none, which has been said."""
    return np.zeros(len(data)) if data.qid is None else data.qid


def _show(status: Any) -> Any:
    def update(number: int, step: object) -> None:
        status.update(f"Training: step {number}, {step}")

    return update


def _report(model: Model, measure: Measure, sets: list[tuple[Path, RankingData]], as_json: bool) -> None:
    values = {str(file): evaluate(d.y, model.predict(d.X), d.qid, measure)[measure] for file, d in sets}
    origin = model.provenance
    assert origin is not None
    if as_json:
        print_json({"measure": measure.name, "values": values, **origin.training})
        return
    print_table([measure.name, ""], values.items())
    if origin.training:
        print_table(["training", ""], [(name, f"{value:.4g}") for name, value in origin.training.items()])
    if origin.measure != measure.qualified_name:
        print_line(f"{origin.learner} optimises {origin.measure}; {measure.name} is what its ranking was measured by.")

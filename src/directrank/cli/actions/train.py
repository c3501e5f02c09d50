"""``directrank train``: read data, train a learner, save the model and print its value."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...data import InputError, RankingData
from ...data.io.files import is_stream
from ...evaluation import Evaluation, evaluate
from ...learners.core.monitoring import Callback
from ...measures import SupportsEvaluate, name_of, parse
from ...measures.naming import qualified_name_of
from ...models import Model, as_model, save_model
from ...selection.expectation import Expectation, expected_value
from ..console.ctrl_c import was_pressed
from ..console.output import print_json, print_sentence, print_table
from ..console.output_files import check_output_file, display_name
from ..console.progress import Progress, spinner
from ..console.streams import note
from ..options.click_logs import ClickOptions
from ..options.columns import ColumnOptions
from ..options.custom_learner import check_savable
from ..options.learners import learns_queries, make_learner
from ._click_data import Clicks, read_clicks
from ._cluster import connected, local_files, read_sharded
from ._data import STANDARD_INPUT, check_labels, check_validation_data, display_files, note_one_query, read_rows
from ._ending import Ending, ending_as_dict, predict_command, print_ending, saved_model, shell
from ._matching import read_like
from ._training_errors import error_of_training

#: Number of folds of ``directrank cv``.
DEFAULT_FOLDS = 5

#: Error for data with queries and a learner that has no use for them.
_NO_QUERIES = "this learner takes the whole file as one set, and the data has queries; use svm"


class TrainOptions(NamedTuple):
    """Options of ``directrank train``."""

    files: list[str]
    output: Path
    learner: str
    measure: str
    validate: str | None
    settings: list[str]
    keep_partial: bool
    columns: ColumnOptions
    clicks: ClickOptions
    cluster: str | None
    as_json: bool


def run(options: TrainOptions) -> None:
    """Train a model, save it, and print its value."""
    inputs = [*options.files, options.validate, *options.clicks.files()]
    check_output_file(options.output, inputs, options.as_json)
    _check_standard_input(inputs)
    check_validation_data(options.validate, options.files)
    if options.cluster is None:
        _train(options)
    elif options.clicks.clicks is not None:
        raise InputError("--clicks and --cluster are not for one command yet; join the log first, on this machine")
    else:
        _train_on_cluster(options.cluster, options)


def _check_standard_input(inputs: Sequence[str | Path | None]) -> None:
    """Raise an error if several inputs are standard input, which can be read once."""
    if sum(file is not None and os.fspath(file) in ("-", str(STANDARD_INPUT)) for file in inputs) > 1:
        raise InputError("standard input can be read once, and is given for several inputs; name files for the others")


def _train(options: TrainOptions) -> None:
    """Train on this machine."""
    learner, measure = _make(options)
    files = local_files(options.files)
    if options.clicks.clicks is not None and not getattr(learner, "takes_gains", True):
        raise InputError(
            f"{options.learner} learns grades or classes, and clicks give real numbers; use ranksvm or lambdamart"
        )
    clicks = read_clicks(options.clicks, measure)
    data = _labelled(read_rows(files, options.columns.names(), options.columns.names_of_features()).data, files, clicks)
    sets = [(display_files(files), data)]
    if options.validate is not None:
        held_out = local_files([options.validate])
        rows = read_like(held_out, data, options.columns, needs_labels=clicks is None)
        sets.append((options.validate, _labelled(rows, held_out, clicks)))
    for name, part in sets:
        if getattr(learner, "expects_qid", False):
            note_one_query(name, part)
    with _training(learner, measure, sets) as shown:
        _fit(learner, shown, learns_queries(options.learner), *(data for _, data in sets))
    model = _save(learner, data.feature_names, options)
    evaluations = {name: evaluate(d.y, model.predict(d.features, _qid(d)), d.qid, measure) for name, d in sets}
    has_folds = learns_queries(options.learner) and data.n_queries >= DEFAULT_FOLDS and not any(map(is_stream, files))
    has_folds = has_folds and clicks is None
    _print(learner, model, measure, evaluations, options, can_validate=has_folds)


def _labelled(data: RankingData, files: Sequence[str | Path], clicks: Clicks | None) -> RankingData:
    """Rows labelled by the files, or by gains from clicks."""
    if clicks is not None:
        return clicks.label(files, data)
    check_labels(list(map(Path, files)), data)
    return data


def _train_on_cluster(address: str, options: TrainOptions) -> None:
    """Train on the workers of a Dask cluster."""
    learner, measure = _make(options)
    with connected(address, options.measure, options.learner) as client:
        _train_with_client(client, learner, measure, options)


def _train_with_client(client: Any, learner: Any, measure: SupportsEvaluate, options: TrainOptions) -> None:
    from ... import distributed

    files, validate = options.files, options.validate
    data = read_sharded(files, client, options.columns)
    held_out = None if validate is None else read_sharded([validate], client, options.columns)
    if learner.joins_shards and data.has_qid and data.n_queries > 1:
        raise InputError(_NO_QUERIES)
    with _training(learner, measure, []) as shown:
        validation = None if learner.joins_shards else held_out
        distributed.train(learner, data, validation, callbacks=[shown], keep_partial=True)
    model = _save(learner, data.feature_names, options)
    sets = [(files[0] if len(files) == 1 else f"{files[0]}, ...", data)]
    sets += [] if validate is None or held_out is None else [(validate, held_out)]
    with spinner("Evaluating"):
        evaluations = {name: distributed.evaluate(model, part, measure) for name, part in sets}
    _print(learner, model, measure, evaluations, options)


def _make(options: TrainOptions) -> tuple[Any, SupportsEvaluate]:
    """The learner and its measure; a learner whose model could not be saved is an error."""
    measure = parse(options.measure)
    learner = make_learner(options.learner, measure, options.settings)
    check_savable(learner)
    return learner, measure


@contextmanager
def _training(learner: Any, measure: SupportsEvaluate, sets: list[tuple[str, RankingData]]) -> Iterator[Callback]:
    """Give a callback that shows progress while the block fits a learner, then note its warnings.

    Ctrl-C ends the block, and the model so far is kept.
    """
    with Progress(f"Training for {name_of(measure)}", "round") as progress, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            yield lambda step: progress.update(step.step, step.n_steps, str(step))
        except KeyboardInterrupt:
            if not hasattr(learner, "model_"):
                raise
        except ValueError as error:
            raise error_of_training(error, sets) from error
    for warning in caught:
        note(str(warning.message))


def _fit(learner: Any, shown: Callback, by_query: bool, data: RankingData, held_out: RankingData | None = None) -> None:
    given = {"callbacks": [shown], "keep_partial": True}
    if by_query:
        eval_set = None if held_out is None else (held_out.features, held_out.y, _qid(held_out))
        weight = {} if data.weight is None else {"query_weight": data.weight}
        learner.fit(data.features, data.y, _qid(data), eval_set=eval_set, **weight, **given)
    elif data.qid is not None and data.n_queries > 1:
        raise InputError(_NO_QUERIES)
    else:
        learner.fit(data.features, data.y > 0, **given)


def _qid(data: RankingData) -> Any:
    """The query of each row; a single query if the file has no qid, which was noted."""
    return np.zeros(len(data)) if data.qid is None else data.qid


def _is_partial(learner: Any) -> bool:
    return bool(getattr(learner, "interrupted_", False)) or was_pressed()


def _save(learner: Any, feature_names: Sequence[str] | None, options: TrainOptions) -> Model:
    """Save the model of a learner, unless its training was interrupted."""
    if _is_partial(learner) and not options.keep_partial:
        advice = "(--keep-partial saves the model so far)"
        raise KeyboardInterrupt(f"training was interrupted; {display_name(options.output)} is unchanged {advice}")
    model = as_model(learner).with_feature_names(feature_names)
    save_model(options.output, model)
    return model


def _print(
    learner: Any,
    model: Model,
    measure: SupportsEvaluate,
    evaluations: dict[str, Evaluation],
    options: TrainOptions,
    *,
    can_validate: bool = False,
) -> None:
    """Print the values of a model; raise KeyboardInterrupt if its training was interrupted.

    `can_validate` is whether ``directrank cv`` takes the training data.
    """
    values = {name: evaluation[measure] for name, evaluation in evaluations.items()}
    ending = _ending(evaluations, measure, options, can_validate=can_validate)
    if options.as_json:
        print_json({**ending_as_dict(ending), **_as_dict(model, measure, values)})
    else:
        _print_tables(model, measure, values)
        for line in dict.fromkeys(line for evaluation in evaluations.values() for line in evaluation.notes()):
            print_sentence(line)
        print_ending(ending)
    if _is_partial(learner):
        raise KeyboardInterrupt(f"training was interrupted; {display_name(options.output)} has the model so far")


def _ending(
    evaluations: dict[str, Evaluation], measure: SupportsEvaluate, options: TrainOptions, *, can_validate: bool
) -> Ending:
    """What to expect on new queries, if there is validation data; otherwise how to find out."""
    (training, _), *others = evaluations.items()
    model, named = saved_model(options.output), ["-m", options.measure]
    predict = predict_command(model, options.files[0], options.columns)
    for name, evaluation in others:
        if evaluation.qid.size > 1:
            expected, figures = _estimate(name, evaluation, measure)
            if options.clicks.clicks is not None:
                expected += " It is estimated from the clicks; on grades the measure has another scale."
            return Ending(model, expected, figures, predict)
    sentence = f"The value on {training} is no estimate for new data, on which it is usually lower."
    if can_validate:
        settings = [word for setting in options.settings for word in ("--set", setting)]
        what = ["--learner", options.learner, *named, *settings, *options.columns.arguments()]
        command = ["directrank", "cv", *options.files, *what]
        return Ending(model, sentence, None, {"For an estimate": shell(command), **predict})
    if model is None:
        return Ending(model, sentence, None, {})
    suffix = Path(options.files[0]).suffix or ".txt"
    command = ["directrank", "evaluate", f"test{suffix}", "--model", str(model), *named]
    return Ending(model, sentence, None, {"For an estimate, with data that was kept aside": shell(command), **predict})


def _estimate(name: str, evaluation: Evaluation, measure: SupportsEvaluate) -> tuple[str, Expectation]:
    """What to expect on new queries, given the values on validation data."""
    expected = expected_value(evaluation.values(measure)[np.newaxis], 0)
    figures = f"{expected.value:.4f} (95 % interval {expected.low:.4f} to {expected.high:.4f})"
    source = f"its mean over the {expected.n_queries:,} queries of {name}"
    chosen = "C or the number of rounds was chosen on them"
    return f"On new queries, expect {name_of(measure)} of about {figures}, {source}, or slightly less: {chosen}.", expected


def _as_dict(model: Model, measure: SupportsEvaluate, values: dict[str, float]) -> dict[str, Any]:
    origin = model.provenance
    return {
        "learner": origin.learner,
        "parameters": origin.parameters,
        "measure": name_of(measure),
        "values": values,
        **origin.training,
        "history": origin.history,
    }


def _print_tables(model: Model, measure: SupportsEvaluate, values: dict[str, float]) -> None:
    origin = model.provenance
    print_table([name_of(measure), ""], values.items())
    if origin.training:
        print_table(["training", ""], [(name, f"{value:.4g}") for name, value in origin.training.items()])
    if origin.measure != qualified_name_of(measure):
        print_sentence(f"{origin.learner} optimises {origin.measure}; its ranking was evaluated by {name_of(measure)}.")

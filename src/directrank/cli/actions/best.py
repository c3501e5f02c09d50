"""``directrank best``: find the learner that ranks data best."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from ...data import InputError, RankingData
from ...data.io.files import is_stream
from ...evaluation.feature_ranking import feature_name, find_feature, scores_of_feature
from ...measures import SupportsEvaluate, name_of
from ...measures.naming import qualified_name_of
from ...models import save_model
from ...selection import Choice, best as find_best
from ...selection.held_out_evaluation import check_ranking_measures
from ..console.ctrl_c import was_pressed
from ..console.output import print_json, print_sentence, print_table
from ..console.output_files import check_output_file
from ..console.progress import Progress, spinner
from ..console.report_page import check_report_page, save_report_page
from ..console.streams import note
from ..options.columns import ColumnOptions
from ..options.custom_learner import EstimatorAdapter, check_savable
from ..options.learners import RANKERS, checked_ranker, make_learner
from ..options.search import parse_time
from ._data import display_files
from ._ending import (
    Ending,
    ending_as_dict,
    expectation_sentence,
    predict_command,
    print_ending,
    saved_model,
    set_options,
    shell,
)
from ._report_table import print_report
from ._search import changed_settings, check_keep_partial, parse_measures, raise_interrupted, read_queries, training_on

#: Number of single features to print.
FEATURES_SHOWN = 10


class BestOptions(NamedTuple):
    """Options of ``directrank best``."""

    files: list[Path]
    measures: list[str] | None
    learners: list[str] | None
    feature: str | None
    ascending: str | None
    time: str | None
    folds: int
    seed: int
    output: Path | None
    keep_partial: bool
    report: Path | None
    columns: ColumnOptions
    as_json: bool


def run(options: BestOptions) -> None:
    """Print what ranks a file best, and save its model and a report."""
    measures, seconds = parse_measures(options.measures), parse_time(options.time)
    check_ranking_measures(measures)
    check_keep_partial(options.keep_partial, options.output, options.report)
    _check_outputs(options)
    _check_feature(options)
    learners = make_learners(options.learners, measures[0])
    for learner in (learners or {}).values() if options.output is not None else ():
        check_savable(learner)
    data = read_queries(options.files, options.columns)
    given: dict[str, Any] = {"learners": learners, "baseline": _baseline(data, options), "n_folds": options.folds}
    with training_on(options.files, data):
        choice = choose(data, measures, **given, seconds=seconds, random_state=options.seed)
    interrupted = choice.interrupted or was_pressed()
    ending = _ending(choice, measures[0], options, saved=options.keep_partial or not interrupted)
    if options.as_json:
        print_json({**choice_as_dict(choice), **ending_as_dict(ending)})
    else:
        print_choice(choice)
    for line in choice.notes:
        note(line)
    if options.keep_partial or not interrupted:
        _save(choice, data, options)
        if not options.as_json:
            print_ending(ending)
    if interrupted:
        raise_interrupted(options.output, options.keep_partial)


def _check_feature(options: BestOptions) -> None:
    if options.feature is not None and options.ascending is not None:
        raise InputError("--feature and --ascending each name the present ranking; give one of them")


def _baseline(data: RankingData, options: BestOptions) -> tuple[str, Any] | None:
    """Name and scores of the ranking to beat, if one is given."""
    wanted, ascending = (options.ascending, True) if options.feature is None else (options.feature, False)
    if wanted is None:
        return None
    try:
        column = find_feature(data, wanted)
    except InputError as error:
        raise InputError(f"{display_files(options.files)}: {error}") from error
    name = feature_name(data, column)
    name = f"feature {name}" if name in RANKERS else name  # learners have their own names
    return f"{name}, ascending" if ascending else name, scores_of_feature(data, column, ascending=ascending)


def _ending(choice: Choice, measure: SupportsEvaluate, options: BestOptions, *, saved: bool) -> Ending:
    """What to say at the end; `saved` is whether the model is written if a file is given for it."""
    sentence = expectation_sentence(name_of(measure), choice.expected, f"{choice.expected.n_candidates:,} rankings")
    model = saved_model(options.output) if saved else None
    commands = predict_command(model, options.files[0], options.columns)
    if options.output is None and not any(map(is_stream, options.files)):
        commands = _train_command(choice, measure, options)
    return Ending(model, sentence, choice.expected, commands)


def _train_command(choice: Choice, measure: SupportsEvaluate, options: BestOptions) -> dict[str, str]:
    """The command that trains and saves the winner; empty if it is no learner that can be saved."""
    result = choice.results.get(choice.winner)
    if result is None or isinstance(result.learner, EstimatorAdapter):
        return {}
    settings = changed_settings(result.learner, result.refit_learner())
    what = ["--learner", choice.winner, "-m", qualified_name_of(measure), *set_options(settings)]
    files, columns = map(str, options.files), options.columns.arguments()
    command = shell(["directrank", "train", *files, *what, *columns, "-o", "model.json"])
    return {"To train it on all queries and save it": command}


def choose(data: RankingData, measures: list[SupportsEvaluate], **options: Any) -> Choice:
    """Find what ranks the data best by the first measure, with a progress line; see `directrank.selection.best`."""
    with Progress("Learner") as progress:
        return find_best(data, measures[0], measures=measures[1:], callback=progress.update, **options)


def make_learners(names: list[str] | None, measure: SupportsEvaluate) -> dict[str, Any] | None:
    """The named learners; None, for all learners, if there are no names."""
    chosen = [checked_ranker(name) for name in names or []]
    for name in chosen:
        if chosen.count(name) > 1:
            raise InputError(f"--learner {name} is given twice; name each learner once")
    return {name: make_learner(name, measure, []) for name in chosen} or None


def print_choice(choice: Choice, title: str = "Evaluated on held-out queries") -> None:
    """Print the learners beside the best feature, the features, and the conclusion."""
    measure = choice.report.measures[0]
    print_report(choice.report, title=title, detailed=[measure])
    if len(choice.features) > 1:
        shown, n = choice.features[:FEATURES_SHOWN], len(choice.features)
        count = f", the best {FEATURES_SHOWN} of {n:,}" if n > FEATURES_SHOWN else ""
        print_table(["", measure], [(feature.name, feature.value) for feature in shown], f"Single features{count}")
    print_sentence(choice.summary)


def choice_as_dict(choice: Choice) -> dict[str, Any]:
    """Everything but the model, for JSON."""
    return {
        "winner": choice.winner,
        "summary": choice.summary,
        "seconds": {name: float(result.seconds.sum()) for name, result in choice.results.items()},
        "features": {feature.name: feature.value for feature in choice.features},
        "report": json.loads(choice.report.to_json()),
        "not_tried": choice.not_tried,
        "stopped": choice.stopped,
        "notes": choice.notes,
    }


def _check_outputs(options: BestOptions) -> None:
    if options.output is not None:
        check_output_file(options.output, options.files, options.as_json)
    if options.report is not None:
        check_report_page(options.report, [*options.files, options.output], options.as_json)


def _save(choice: Choice, data: RankingData, options: BestOptions) -> None:
    """Train the winner on all queries; save its model and the report."""
    if options.output is None and options.report is None:
        return
    with training_on(options.files, data), spinner(f"Training {choice.winner} on all queries"):
        model = choice.model
    if options.output is not None:
        save_model(options.output, model)
    if options.report is not None:
        save_report_page(choice.report, options.report, silent=options.as_json, models={choice.winner: model})

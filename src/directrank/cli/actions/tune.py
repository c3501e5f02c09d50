"""``directrank tune``: search for the best parameters of a learner."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from ...data import InputError, RankingData
from ...data.io.files import is_stream
from ...measures import name_of, parse
from ...models import as_model, save_model
from ...selection import Trial, Tuning, tune as search
from ...selection.fit_and_predict import fit_clone
from ..console.ctrl_c import was_pressed
from ..console.output import print_json, print_sentence, print_table
from ..console.output_files import check_output_file
from ..console.progress import Progress, spinner
from ..console.streams import note
from ..options.columns import ColumnOptions
from ..options.custom_learner import check_savable
from ..options.learners import make_learner, parse_settings
from ..options.ranges import search_ranges
from ..options.search import parse_time
from ._data import check_validation_data
from ._ending import Ending, ending_as_dict, expectation_sentence, predict_command, print_ending, saved_model, shell
from ._matching import read_like
from ._search import changed_settings, check_keep_partial, raise_interrupted, read_queries, training_on

#: Number of trials to print.
TRIALS_SHOWN = 5

DEFAULT_FOLDS = 5


class TuneOptions(NamedTuple):
    """Options of ``directrank tune``."""

    files: list[Path]
    learner: str
    measure: str
    validate: Path | None
    settings: list[str]
    space: list[str]
    trials: int
    time: str | None
    folds: int | None
    seed: int
    output: Path | None
    keep_partial: bool
    columns: ColumnOptions
    as_json: bool


def run(options: TuneOptions) -> None:
    """Print the best trials, and save the model of the best one."""
    output = options.output
    if options.validate is not None and options.folds is not None:
        raise InputError("--folds is for cross-validation, and trials are evaluated on --validate; leave one of them out")
    check_validation_data(options.validate, options.files)
    check_keep_partial(options.keep_partial, output)
    if output is not None:
        check_output_file(output, [*options.files, options.validate], options.as_json)
    learner = make_learner(options.learner, parse(options.measure), options.settings)
    if output is not None:
        check_savable(learner)
    ranges, seconds = search_ranges(learner, options.space, parse_settings(options.settings)), parse_time(options.time)
    data = read_queries(options.files, options.columns)
    held_out = None if options.validate is None else read_like([options.validate], data, options.columns)
    found = _search(learner, data, held_out, ranges, seconds, options)
    interrupted = found.interrupted or was_pressed()
    saved = options.keep_partial or not interrupted
    ending = _ending(found, learner, options, saved=saved)
    _print(found, ending, options)
    if output is not None and saved:
        _save(output, options.files, found, data, held_out)
    if not options.as_json:
        print_ending(ending)
    if interrupted:
        raise_interrupted(output, options.keep_partial)


def _search(
    learner: Any,
    data: RankingData,
    held_out: RankingData | None,
    ranges: dict[str, Any],
    seconds: float | None,
    options: TuneOptions,
) -> Tuning:
    """Run the trials, with a progress line."""
    measure, done = parse(options.measure), list[Trial]()
    with training_on(options.files, data), Progress(options.learner, "trial") as progress:

        def show(trial: Trial) -> None:
            done.append(trial)
            progress.update(len(done), None, f"best {name_of(measure)} {max(t.value or 0.0 for t in done):.4f}")

        return search(
            learner,
            data,
            measure,
            validation=held_out,
            space=ranges,
            n_trials=options.trials,
            seconds=seconds,
            n_folds=DEFAULT_FOLDS if options.folds is None else options.folds,
            random_state=options.seed,
            callback=show,
        )


def _save(output: Path, files: list[Path], found: Tuning, data: RankingData, held_out: RankingData | None) -> None:
    with training_on(files, data), spinner("Training with the best parameters on all data"):
        trained = fit_clone(found.learner, data, held_out)
    save_model(output, as_model(trained).with_feature_names(data.feature_names))


def _print(found: Tuning, ending: Ending, options: TuneOptions) -> None:
    if options.as_json:
        trials, best = [_as_dict(trial) for trial in found.trials], _as_dict(found.best)
        searched = {"learner": options.learner, "measure": found.measure, "best": best, "trials": trials}
        print_json({**searched, **ending_as_dict(ending)})
        return
    leading = found.leading(TRIALS_SHOWN)
    rows = [(_shown(trial), trial.value, trial.standard_error, f"{trial.seconds:.1f}") for trial in leading]
    print_table(["", found.measure, "standard error", "seconds"], rows, _title(found.trials))
    for line in found.notes:
        print_sentence(line)
    for error in sorted({trial.error for trial in found.trials if trial.error is not None}):
        note(f"Invalid: {error}")


def _ending(found: Tuning, start: Any, options: TuneOptions, *, saved: bool) -> Ending:
    """What to say at the end; `saved` is whether the model is written if a file is given for it."""
    expected = found.expected
    sentence = expectation_sentence(found.measure, expected, f"{expected.n_candidates:,} trials")
    model = saved_model(options.output) if saved else None
    commands = predict_command(model, options.files[0], options.columns)
    if not any(is_stream(file) for file in (*options.files, options.validate) if file is not None):
        commands = {"To train with these parameters": _train_command(found, start, options), **commands}
    return Ending(model, sentence, expected, commands)


def _train_command(found: Tuning, start: Any, options: TuneOptions) -> str:
    """The command that trains the model that ``--output`` saves."""
    settings = _settings(found, start, options.settings)
    validate = [] if options.validate is None else ["--validate", str(options.validate)]
    what = ["--learner", options.learner, "-m", options.measure, *(word for each in settings for word in ("--set", each))]
    output = "model.json" if options.output is None else str(options.output)
    files = list(map(str, options.files))
    return shell(["directrank", "train", *files, *validate, *what, *options.columns.arguments(), "-o", output])


def _settings(found: Tuning, start: Any, given: list[str]) -> list[str]:
    """The values of ``--set`` for the learner that was found: those given, and all that the search or the folds changed."""
    changed = changed_settings(start, found.learner)
    kept = [setting for setting in given if setting.partition("=")[0] not in changed]
    return [*kept, *(f"{name}={value}" for name, value in (changed | found.best.parameters).items())]


def _title(trials: list[Trial]) -> str:
    n_invalid = sum(trial.error is not None for trial in trials)
    n_pruned = sum(trial.value is None for trial in trials) - n_invalid
    others = [f"{n:,} {kind}" for kind, n in {"pruned": n_pruned, "invalid": n_invalid}.items() if n]
    return f"Best of {len(trials):,} trials" + (f" ({', '.join(others)})" if others else "")


def _shown(trial: Trial) -> str:
    parameters = (f"{name}={_digits(value)}" for name, value in trial.parameters.items())
    return " ".join(parameters) or "defaults"


def _digits(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _as_dict(trial: Trial) -> dict[str, Any]:
    figures = {"value": trial.value, "standard error": trial.standard_error, "seconds": trial.seconds}
    return {"parameters": trial.parameters, **figures, **({} if trial.error is None else {"error": trial.error})}

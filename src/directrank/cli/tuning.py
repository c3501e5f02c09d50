"""Searching for parameters, as ``directrank tune`` does."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from ..data import RankingData
from ..measures import name_of, parse
from ..models import as_model, save_model
from ..selection import Trial, Tuning, tune as search
from ..selection.training import fitted
from .ctrl_c import was_pressed
from .learners import make_learner, parse_settings
from .matching import read_matching
from .output import note, print_json, print_line, print_table, spinner
from .own_learner import refuse_unsaved
from .progress import Progress
from .ranges import ranges_of
from .selecting import end_interrupted, read_queries, seconds_of, training_on
from .targets import check_target

#: How many trials are shown.
SHOWN = 5


class Wanted(NamedTuple):
    """What is tuned, on what."""

    file: Path
    validate: Path | None
    learner: str
    measure: str
    settings: list[str]
    space: list[str]
    feature_names: str | None


class How(NamedTuple):
    """How long the search is, and by which folds."""

    trials: int
    time: str | None
    folds: int
    seed: int


def tune_on_file(wanted: Wanted, how: How, output: Path | None, keep_partial: bool, as_json: bool) -> None:
    """Print the best trials, and write the model of the best one."""
    chosen, seconds = parse(wanted.measure), seconds_of(how.time)
    if output is not None:
        check_target(output, [wanted.file, wanted.validate], as_json)
    given = make_learner(wanted.learner, chosen, wanted.settings)
    if output is not None:
        refuse_unsaved(given)
    ranges = ranges_of(given, wanted.space, parse_settings(wanted.settings))
    data = read_queries(wanted.file, wanted.feature_names)
    held_out = None if wanted.validate is None else read_matching(wanted.validate, data.n_features, data.feature_names)
    with training_on(wanted.file, data), Progress(wanted.learner, "trial") as progress:
        done: list[Trial] = []

        def show(trial: Trial) -> None:
            done.append(trial)
            progress.update(len(done), None, f"best {name_of(chosen)} {max(t.value or 0.0 for t in done):.4f}")

        found = search(
            given,
            data,
            chosen,
            validation=held_out,
            space=ranges,
            n_trials=how.trials,
            seconds=seconds,
            n_folds=how.folds,
            random_state=how.seed,
            tell=show,
        )
    _print(found, wanted, as_json)
    interrupted = found.interrupted or was_pressed()
    if output is not None and (keep_partial or not interrupted):
        _write(output, wanted.file, found, data, held_out)
    if interrupted:
        end_interrupted(output, keep_partial)


def _write(output: Path, file: Path, found: Tuning, data: RankingData, held_out: RankingData | None) -> None:
    with training_on(file, data), spinner("Training with the best parameters on all data"):
        trained = fitted(found.learner, data, held_out)
    save_model(output, as_model(trained).with_feature_names(data.feature_names))


def _print(found: Tuning, wanted: Wanted, as_json: bool) -> None:
    learner = wanted.learner
    if as_json:
        trials = [_as_json(trial) for trial in found.trials]
        print_json({"learner": learner, "measure": found.measure, "best": _as_json(found.best), "trials": trials})
        return
    rows = [(_shown(trial), trial.value, trial.standard_error, f"{trial.seconds:.1f}") for trial in found.leading(SHOWN)]
    print_table(["", found.measure, "standard error", "seconds"], rows, _title(found.trials))
    for refusal in sorted({trial.refusal for trial in found.trials if trial.refusal is not None}):
        note(f"Refused: {refusal}")
    settings = [*wanted.settings, *(f"{name}={value}" for name, value in found.best.parameters.items())]
    command = f"directrank train ... --learner {learner} {' '.join(f'--set {setting}' for setting in settings)}"
    print_line(command if found.best.parameters else f"{learner} as it is was best.")
    print_line("The best of many values by the same queries is too high for what to expect; measure the model on others.")


def _title(trials: list[Trial]) -> str:
    n_refused = sum(trial.refusal is not None for trial in trials)
    ends = {"given up": sum(trial.value is None for trial in trials) - n_refused, "refused": n_refused}
    without = [f"{n:,} {'was' if n == 1 else 'were'} {end}" for end, n in ends.items() if n]
    return f"The best of {len(trials):,} trials" + (f", of which {' and '.join(without)}" if without else "")


def _shown(trial: Trial) -> str:
    parameters = (f"{name}={_digits(value)}" for name, value in trial.parameters.items())
    return " ".join(parameters) or "as it is"


def _digits(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _as_json(trial: Trial) -> dict[str, Any]:
    figures = {"value": trial.value, "standard error": trial.standard_error, "seconds": trial.seconds}
    return {"parameters": trial.parameters, **figures, **({} if trial.refusal is None else {"refusal": trial.refusal})}

"""``directrank tune``: the parameters with which a learner ranks best."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..data import InputError, RankingData
from ..learners.search_space import AlongPath, Between, OneOf
from ..measures import parse
from ..models import as_model, save_model
from ..selection import Trial, Tuning
from ..selection import tune as search
from ..selection.training import fitted
from .ctrl_c import was_pressed
from .feature_names import FeatureNames
from .formats import MaxSize, check_target
from .learners import make_learner, parse_settings
from .matching import read_matching
from .options import TARGET, AsJson, MeasureOption, RankerOption, SettingsOption
from .output import print_json, print_line, print_table, spinner
from .own_learner import refuse_unsaved
from .progress import Progress
from .selecting import (
    FileArgument,
    FoldsOption,
    KeepPartial,
    SeedOption,
    TimeOption,
    end_interrupted,
    read_queries,
    seconds_of,
    training_on,
)

#: How many trials are shown.
SHOWN = 5

_RANGE = "write NAME=LOW..HIGH, NAME=log:LOW..HIGH, or NAME=A,B,C"


def tune(
    file: FileArgument,
    learner: RankerOption = "lambdamart",
    measure: MeasureOption = "AP",
    validate: Annotated[Path | None, typer.Option(help="Data to measure trials by, instead of cross-validation.")] = None,
    settings: SettingsOption = None,
    space: Annotated[
        list[str] | None,
        typer.Option("--space", metavar="NAME=RANGE", help="What to try: 7..63, log:0.01..1, or a,b,c. May be repeated."),
    ] = None,
    trials: Annotated[
        int, typer.Option(help="How many to make after the first, which is the learner as it is.", min=1)
    ] = 30,
    time: TimeOption = None,
    folds: FoldsOption = 5,
    seed: SeedOption = 0,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write the best one's model of all data.", **TARGET),  # type: ignore[arg-type]
    ] = None,
    keep_partial: KeepPartial = False,
    feature_names: FeatureNames = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Search for the parameters with which a learner ranks best, by cross-validation or a validation file.

    Each learner knows what is worth trying; --space says otherwise, and --set keeps a parameter as it is. Searches of more
    than a few values need Optuna (the extra tune). All C of a linear SVM come from one path.

    The model is trained with the best parameters on all data; its number of rounds is the median of what the folds chose, or
    what the validation file chooses. The best of many values is too high for what to expect: measure on other queries.

    directrank tune train.txt --learner lambdamart -m nDCG@10 --space num_leaves=7..63 --time 10m -o model.json
    """
    chosen, seconds = parse(measure), seconds_of(time)
    if output is not None:
        check_target(output, [file, validate], as_json)
    given = make_learner(learner, chosen, settings or [])
    if output is not None:
        refuse_unsaved(given)
    ranges = _ranges(given, space or [], parse_settings(settings or []))
    data = read_queries(file, feature_names)
    held_out = None if validate is None else read_matching(validate, data.n_features, data.feature_names)
    with training_on(file, data), Progress(learner, "trial") as progress:
        done: list[Trial] = []

        def show(trial: Trial) -> None:
            done.append(trial)
            progress.update(len(done), None, f"best {chosen.name} {max(t.value or 0.0 for t in done):.4f}")

        found = search(
            given,
            data,
            chosen,
            validation=held_out,
            space=ranges,
            n_trials=trials,
            seconds=seconds,
            n_folds=folds,
            random_state=seed,
            tell=show,
        )
    _print(found, learner, as_json)
    interrupted = found.interrupted or was_pressed()
    if output is not None and (keep_partial or not interrupted):
        _write(output, file, found, data, held_out)
    if interrupted:
        end_interrupted(output, keep_partial)


def _ranges(learner: Any, given: list[str], fixed: dict[str, Any]) -> dict[str, Between | OneOf | AlongPath]:
    """What to try: what was given, or what the learner finds worth trying, but for what is fixed."""
    own = getattr(learner, "search_space", {})
    if not given:
        return {name: values for name, values in own.items() if name not in fixed}
    ranges: dict[str, Between | OneOf | AlongPath] = {}
    for text in given:
        name, equals, values = text.partition("=")
        if not equals or not values:
            raise InputError(f"--space {text}: {_RANGE}")
        if name in fixed:
            raise InputError(f"--space {name} and --set {name}: a parameter is tried or fixed; give one of the two")
        try:
            ranges[name] = _range(values, own.get(name), learner.get_params().get(name))
        except InputError as error:
            raise InputError(f"--space {text}: {error}") from error
    return ranges


def _range(text: str, own: Any = None, now: Any = None) -> Between | OneOf:
    """What a range says; whether it is logarithmic, and whether 0..1 has fractions, the learner's own range may say.

    So may the value that the parameter has now.
    """
    low, dots, high = text.removeprefix("log:").partition("..")
    if not dots:
        values = parse_settings([f"values={text}"])["values"]
        return OneOf(tuple(values) if isinstance(values, list) else (values,))
    is_fraction = isinstance(now, float) or (isinstance(own, Between) and not own.whole)
    ends = [float(_number(end)) if is_fraction else _number(end) for end in (low, high)]
    return Between(ends[0], ends[1], log=text.startswith("log:") or getattr(own, "log", False))


def _number(text: str) -> float:
    """A number, whole if it is written so."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise InputError(_RANGE)


def _write(output: Path, file: Path, found: Tuning, data: RankingData, held_out: RankingData | None) -> None:
    with training_on(file, data), spinner("Training with the best parameters on all data"):
        trained = fitted(found.learner, data, held_out)
    save_model(output, as_model(trained).with_feature_names(data.feature_names))


def _print(found: Tuning, learner: str, as_json: bool) -> None:
    if as_json:
        trials = [_as_json(trial) for trial in found.trials]
        print_json({"learner": learner, "measure": found.measure, "best": _as_json(found.best), "trials": trials})
        return
    rows = [(_shown(trial), trial.value, trial.standard_error, f"{trial.seconds:.1f}") for trial in found.leading(SHOWN)]
    given_up = sum(trial.value is None for trial in found.trials)
    title = f"The best of {len(found.trials):,} trials" + (f", of which {given_up:,} were given up" if given_up else "")
    print_table(["", found.measure, "standard error", "seconds"], rows, title)
    settings = " ".join(f"--set {name}={value}" for name, value in found.best.parameters.items())
    print_line(f"directrank train ... --learner {learner} {settings}" if settings else f"{learner} as it is was best.")
    print_line("The best of many values by the same queries is too high for what to expect; measure the model on others.")


def _shown(trial: Trial) -> str:
    parameters = (f"{name}={_digits(value)}" for name, value in trial.parameters.items())
    return " ".join(parameters) or "as it is"


def _digits(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _as_json(trial: Trial) -> dict[str, Any]:
    figures = {"value": trial.value, "standard error": trial.standard_error, "seconds": trial.seconds}
    return {"parameters": trial.parameters, **figures}

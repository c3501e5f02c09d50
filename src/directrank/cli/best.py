"""``directrank best``: what ranks one's own data best."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from ..data import RankingData
from ..measures import Measure
from ..models import save_model
from ..selection import Choice
from ..selection import best as find_best
from .ctrl_c import was_pressed
from .feature_names import FeatureNames
from .formats import MaxSize, check_target
from .learners import checked_ranker, make_learner
from .options import TARGET, AsJson, MeasuresOption
from .output import note, print_json, print_line, print_table, spinner
from .own_learner import refuse_unsaved
from .page import check_page, save_page
from .progress import Progress
from .report_table import print_report
from .selecting import (
    FileArgument,
    FoldsOption,
    KeepPartial,
    SeedOption,
    TimeOption,
    end_interrupted,
    parsed_measures,
    read_queries,
    seconds_of,
    training_on,
)

#: How many features are shown.
SHOWN = 10


def best(
    file: FileArgument,
    measures: MeasuresOption = None,
    learners: Annotated[
        list[str] | None, typer.Option("--learner", metavar="LEARNER", help="Which to try; may be repeated. All by default.")
    ] = None,
    time: TimeOption = None,
    folds: FoldsOption = 5,
    seed: SeedOption = 0,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write the best one's model of all data.", **TARGET),  # type: ignore[arg-type]
    ] = None,
    keep_partial: KeepPartial = False,
    page: Annotated[Path | None, typer.Option("--report", help="Write a page to look at.", **TARGET)] = None,  # type: ignore[arg-type]
    feature_names: FeatureNames = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Find what ranks your data best: every learner, and each feature alone, cross-validated by query.

    The first measure (by default AP) is optimised and decides; others are reported. All are measured on the same folds, by
    queries that their models did not see, and compared by paired tests that are corrected for their number. The model
    written is that of the highest mean, trained on all queries. --time is for the trials; that last training comes after it.

    directrank best data.txt -m nDCG@10 --time 10m -o model.json
    """
    chosen, seconds = parsed_measures(measures), seconds_of(time)
    if output is not None:
        check_target(output, [file], as_json)
    if page is not None:
        check_page(page, [file, output], as_json)
    tried = chosen_learners(learners, chosen[0])
    for learner in (tried or {}).values() if output is not None else ():
        refuse_unsaved(learner)
    data = read_queries(file, feature_names)
    with training_on(file, data):
        found = find(data, chosen, learners=tried, n_folds=folds, seconds=seconds, random_state=seed)
    if as_json:
        print_json(as_dict(found))
    else:
        print_choice(found)
    for line in found.notes:
        note(line)
    interrupted = found.interrupted or was_pressed()
    if (output is not None or page is not None) and (keep_partial or not interrupted):
        with training_on(file, data), spinner(f"Training {found.winner} on all queries"):
            model = found.model
        if output is not None:
            save_model(output, model)
        if page is not None:
            save_page(found.report, page, silent=as_json, models={found.winner: model})
    if interrupted:
        end_interrupted(output, keep_partial)


def find(data: RankingData, measures: list[Measure], **how: Any) -> Choice:
    """What ranks the data best by the first measure; see `directrank.selection.best`."""
    with Progress("Learner") as progress:
        return find_best(data, measures[0], measures=measures[1:], tell=progress.update, **how)


def chosen_learners(names: list[str] | None, measure: Measure) -> dict[str, Any] | None:
    """Those that were asked for; None for all."""
    return None if not names else {name: make_learner(name, measure, []) for name in map(checked_ranker, names)}


def print_choice(found: Choice, title: str = "Measured on queries that were held out") -> None:
    """The learners beside the best feature, the features, and what it all comes to."""
    measure = found.report.measures[0]
    print_report(found.report, title=title, detailed=[measure])
    if len(found.features) > 1:
        shown, n = found.features[:SHOWN], len(found.features)
        of_all = f", the best {SHOWN} of {n:,}" if n > SHOWN else ""
        print_table(["", measure], [(alone.name, alone.value) for alone in shown], f"Features alone{of_all}")
    print_line(found.sentence)


def as_dict(found: Choice) -> dict[str, Any]:
    """All of it but the model, for JSON."""
    seconds = {name: float(result.seconds.sum()) for name, result in found.results.items()}
    return {
        "winner": found.winner,
        "sentence": found.sentence,
        "seconds": seconds,
        "features": {alone.name: alone.value for alone in found.features},
        "report": json.loads(found.report.to_json()),
        "notes": found.notes,
    }

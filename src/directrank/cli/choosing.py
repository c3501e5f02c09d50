"""Finding what ranks data best, as ``directrank best`` does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from ..data import RankingData
from ..measures import SupportsEvaluate
from ..models import save_model
from ..selection import Choice, best as find_best
from ..selection.judging import refuse_sets
from .ctrl_c import was_pressed
from .learners import checked_ranker, make_learner
from .output import note, print_json, print_line, print_table, spinner
from .own_learner import refuse_unsaved
from .page import check_page, save_page
from .progress import Progress
from .report_table import print_report
from .selecting import end_interrupted, parsed_measures, read_queries, seconds_of, training_on
from .targets import check_target

#: How many features are shown.
SHOWN = 10


class Wanted(NamedTuple):
    """What is tried, on what."""

    file: Path
    measures: list[str] | None
    learners: list[str] | None
    time: str | None
    folds: int
    seed: int
    feature_names: str | None


class Kept(NamedTuple):
    """What is written: the model, also one of a search that was interrupted, and a page."""

    output: Path | None
    partial: bool
    page: Path | None


def best_on_file(wanted: Wanted, kept: Kept, as_json: bool) -> None:
    """Print what ranks a file best, and write its model."""
    chosen, seconds = parsed_measures(wanted.measures), seconds_of(wanted.time)
    refuse_sets(chosen)
    if kept.output is not None:
        check_target(kept.output, [wanted.file], as_json)
    if kept.page is not None:
        check_page(kept.page, [wanted.file, kept.output], as_json)
    tried = chosen_learners(wanted.learners, chosen[0])
    for learner in (tried or {}).values() if kept.output is not None else ():
        refuse_unsaved(learner)
    data = read_queries(wanted.file, wanted.feature_names)
    with training_on(wanted.file, data):
        found = find(data, chosen, learners=tried, n_folds=wanted.folds, seconds=seconds, random_state=wanted.seed)
    if as_json:
        print_json(as_dict(found))
    else:
        print_choice(found)
    for line in found.notes:
        note(line)
    interrupted = found.interrupted or was_pressed()
    if (kept.output is not None or kept.page is not None) and (kept.partial or not interrupted):
        with training_on(wanted.file, data), spinner(f"Training {found.winner} on all queries"):
            model = found.model
        if kept.output is not None:
            save_model(kept.output, model)
        if kept.page is not None:
            save_page(found.report, kept.page, silent=as_json, models={found.winner: model})
    if interrupted:
        end_interrupted(kept.output, kept.partial)


def find(data: RankingData, measures: list[SupportsEvaluate], **how: Any) -> Choice:
    """What ranks the data best by the first measure; see `directrank.selection.best`."""
    with Progress("Learner") as progress:
        return find_best(data, measures[0], measures=measures[1:], tell=progress.update, **how)


def chosen_learners(names: list[str] | None, measure: SupportsEvaluate) -> dict[str, Any] | None:
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

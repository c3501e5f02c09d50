"""``directrank papers``: the experiments of the papers that introduced the learners."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options.common import AsJson, ReportOption

NameArgument = Annotated[
    str, typer.Argument(metavar="EXPERIMENT", help="Name of the experiment as listed, such as joachims/table1.")
]


def show_list(as_json: AsJson = False) -> None:
    """List the experiments, with the data that each can be run on."""
    from ..actions.papers import list_experiments

    list_experiments(as_json)


def show(name: NameArgument, as_json: AsJson = False) -> None:
    """Show the data that an experiment needs, the published figures, and the claims."""
    from ..actions.papers import show_experiment

    show_experiment(name, as_json)


def run(
    name: NameArgument,
    data: Annotated[
        list[str],
        typer.Option("--data", metavar="NAME=FOLDER", help="Data to run on; see directrank papers show. May be repeated."),
    ],
    quick: Annotated[bool, typer.Option("--quick", help="Quick run (about a minute) on a subset.")] = False,
    as_json: AsJson = False,
    report: ReportOption = None,
    results: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder for finished rows.")] = Path("directrank-papers"),
) -> None:
    """Run an experiment: print our figures beside the published ones, and whether the claims hold.

    Finished rows are saved; an interrupted run continues where it stopped if the same command is given again.

    directrank papers run joachims/table1 --data reuters=FOLDER --report page.html
    """
    from ..actions.papers import RunOptions, run_experiment

    run_experiment(RunOptions(name, data, quick, as_json, report, results))


papers = {"list": show_list, "show": show, "run": run}

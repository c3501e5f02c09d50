"""``directrank papers``: the experiments of the papers that the learners are from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options.common import TARGET, AsJson

NameArgument = Annotated[str, typer.Argument(help="As in the list: joachims/table1.")]


def show_list(as_json: AsJson = False) -> None:
    """List the experiments, with the data that each can be run on."""
    from ..actions.papers import list_experiments

    list_experiments(as_json)


def show(name: NameArgument, as_json: AsJson = False) -> None:
    """Show what data an experiment needs, what was published, and what was claimed."""
    from ..actions.papers import show_experiment

    show_experiment(name, as_json)


def run(
    name: NameArgument,
    data: Annotated[list[str], typer.Option("--data", help="NAME=FOLDER; see directrank papers show. May be repeated.")],
    quick: Annotated[bool, typer.Option("--quick", help="A taste within a minute, on less.")] = False,
    as_json: AsJson = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write a page to look at.", **TARGET)] = None,
    results: Annotated[Path, typer.Option(help="Where finished rows are kept.")] = Path("directrank-papers"),
) -> None:
    """Run an experiment: our figures, those published, and whether what was claimed holds.

    Finished rows are kept; broken off, the same command goes on from there.

    directrank papers run joachims/table1 --data reuters=FOLDER -o page.html
    """
    from ..actions.papers import run_experiment

    run_experiment(name, data, quick, as_json, output, results)


papers = {"list": show_list, "show": show, "run": run}

"""The command line: its subcommands, and how errors end it."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ..data.errors import InputError
from ..version import __version__
from .ctrl_c import ending_well
from .output import print_error, results_to_standard_output

#: The commands, each in the module of its name, in the order of the help, which has the first line of what each says.
COMMANDS = {
    "demo": "Learn to search the docstrings of NumPy, SciPy and scikit-learn.",
    "features": (
        "Index documents, pool what retrieval functions find for each judged query, and write their scores as features."
    ),
    "describe": "Say what is in a data set, and what might go wrong in training on it.",
    "split": "Split data by query into train, vali and test files, in the format of the data.",
    "train": "Learn a ranking that optimises a measure, and write the model.",
    "cv": "Cross-validate a learner by query: the value of each fold, and scores of queries that the model did not see.",
    "tune": "Search for the parameters with which a learner ranks best, by cross-validation or a validation file.",
    "best": "Find what ranks your data best: every learner, and each feature alone, cross-validated by query.",
    "predict": "Score data with a model.",
    "evaluate": "Measure rankings: TREC runs against judgments, or scores and models against graded data.",
    "compare": (
        "Compare rankings, with intervals, effect sizes and corrected tests: "
        "TREC runs, or models and scores of ranking data."
    ),
    "report": "Write a page that compares rankings: tables, charts, and every query, in one file that needs no network.",
    "export": "Write a model as another engine takes it; docs/serving.md has the way there for each.",
    "fuse": "Fuse TREC runs into one, by learning from judgments or without.",
    "convert": (
        "Convert between LETOR text, Parquet, and TREC runs and qrels; join runs, or logs of search engines, with judgments."
    ),
    "papers": "Run the experiments of the papers that the learners are from: list, show, run.",
}

_SETTINGS: dict[str, Any] = {
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}

#: The modules of errors that are one sentence for the user. Where one was never imported, it raised nothing.
_ERRORS = {"measures.base": "MeasureError", "models.errors": "ModelError"}


class _Commands(TyperGroup):
    """Imports a command's module when it is called: until then, its name and a line of help are all that is needed."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {name: TyperCommand(name, help=line) for name, line in COMMANDS.items()}

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] in COMMANDS:
            self.commands[args[0]] = load_command(args[0])
        return super().resolve_command(ctx, args)


def load_command(name: str) -> Any:
    """A command as Typer runs it; where its module has a dict, a group of commands by their names."""
    command = getattr(import_module(f".{name}", __package__), name)
    is_group = isinstance(command, dict)
    made = typer.Typer(
        no_args_is_help=is_group, help=COMMANDS[name] if is_group else None, add_completion=False, **_SETTINGS
    )
    functions: dict[str, Callable[..., None]] = command if is_group else {name: command}
    for each, function in functions.items():
        made.command(each)(ending_well(function))
    return typer.main.get_command(made)


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    help="Learn to rank by optimising, directly, the measure you are judged by.",
    **_SETTINGS,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command; bad input ends it with one sentence and exit code 2, Ctrl-C with 130."""
    sys.path.append(os.getcwd())  # where a custom measure or learner may be
    results_to_standard_output()
    for stream in (sys.stdout, sys.stderr):  # a name that the terminal cannot show must not end the command
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except ValueError as error:
        if not _is_for_the_user(error):
            raise
        print_error(str(error))
        sys.exit(2)
    except BrokenPipeError:  # who reads our output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        print_error(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        sys.exit(2)


def _is_for_the_user(error: ValueError) -> bool:
    if isinstance(error, InputError):
        return True
    package = __package__.rpartition(".")[0]
    loaded = {sys.modules.get(f"{package}.{module}"): name for module, name in _ERRORS.items()}
    return any(isinstance(error, getattr(module, name)) for module, name in loaded.items() if module is not None)

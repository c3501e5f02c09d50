"""The command line: its subcommands, and how errors end it.

Help must be fast: neither this module nor `commands` imports NumPy; see the docstring of `directrank.cli`.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from ..data.errors import InputError
from ..version import __version__
from .console.ctrl_c import handling_ctrl_c
from .console.plain_help import PlainHelpGroup
from .console.streams import print_error, results_to_standard_output
from .options.groups import expand_groups
from .options.max_size import limiting_input
from .options.repeated import OneValueCommand

#: Errors of a stream that takes no more bytes.
_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO)

#: The commands in the order of the help, each with the first line of its docstring.
COMMANDS = {
    "demo": "Learn to search the docstrings of NumPy, SciPy and scikit-learn.",
    "example": "Write a small real data set, to follow the tutorial with and to try commands on.",
    "features": (
        "Index documents, pool the results of retrieval functions for each judged query, and write their scores as features."
    ),
    "describe": "Print statistics of a data set, and warnings about problems for training.",
    "split": "Split data by query into train, vali and test files, in the format of the data.",
    "train": "Train a ranking model that optimises a measure, and save it.",
    "cv": "Cross-validate a learner by query: print the values of each fold, and write the scores of held-out queries.",
    "tune": "Search for the best parameters of a learner, by cross-validation or on validation data.",
    "best": "Find what ranks your data best: every learner, and every single feature, cross-validated by query.",
    "predict": "Score data with a model.",
    "evaluate": "Evaluate TREC runs against judgments, or models and scores on graded data.",
    "compare": (
        "Compare TREC runs, or models and scores on ranking data, with intervals, effect sizes and corrected tests."
    ),
    "report": (
        "Write an HTML report that compares rankings: tables, charts, and every query, in one file that works offline."
    ),
    "export": "Write a model in the format of another engine; docs/serving.md explains how to deploy it there.",
    "fuse": "Fuse TREC runs into one, with or without learning from judgments.",
    "convert": (
        "Convert between tables, LETOR text, and TREC runs and qrels; join features, runs or engine logs with judgments."
    ),
    "clicks": "Learn from what users clicked: describe click logs, estimate their position bias, judge by them.",
    "papers": "List, show and run the experiments of the papers that introduced the learners.",
}

_SETTINGS: dict[str, Any] = {
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}

#: Modules of exceptions whose message is for the user. They are not imported: a module that was not, raised nothing.
_USER_ERRORS = {"measures.errors": "MeasureError", "models.errors": "ModelError"}


class _Commands(PlainHelpGroup):
    """Imports the module of a command when it is called; its name and its line of help are known without."""

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
    """Load a command for Typer; a dict of functions becomes a group of commands."""
    command = getattr(import_module(f".commands.{name}", __package__), name)
    is_group = isinstance(command, dict)
    made = typer.Typer(
        cls=PlainHelpGroup,
        no_args_is_help=is_group,
        help=COMMANDS[name] if is_group else None,
        add_completion=False,
        **_SETTINGS,
    )
    functions: dict[str, Callable[..., None]] = command if is_group else {name: command}
    for each, function in functions.items():
        expanded = expand_groups(function)
        _leave_files_to_readers(expanded)
        made.command(each, cls=OneValueCommand, help=_reflowed(function.__doc__ or ""))(
            handling_ctrl_c(limiting_input(expanded))
        )
    return typer.main.get_command(made)


def _leave_files_to_readers(function: Callable[..., None]) -> None:
    """Turn off Typer's check that files are readable: its message is a panel, and a reader's is one sentence."""
    for hint in function.__annotations__.values():
        for option in getattr(hint, "__metadata__", ()):
            option.readable = False


def _reflowed(docstring: str) -> str:
    """Help text whose paragraphs are one line each, for the terminal to wrap."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in docstring.split("\n\n"))


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    help="Learning to rank by directly optimising the measure you are judged by.",
    **_SETTINGS,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command; invalid input ends it with one sentence and exit code 2, Ctrl-C with 130."""
    if sys.stdout is None:  # closed by the shell
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    results_to_standard_output()
    for stream in (sys.stdout, sys.stderr):  # a name that the terminal cannot show must not crash the command
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            app()
        finally:
            sys.stdout.flush()  # here, where an error has its sentence
    except ValueError as error:
        if not _is_user_error(error):
            raise
        print_error(str(error))
        sys.exit(2)
    except BrokenPipeError:  # the reader of our output has stopped reading
        _discard_standard_output()
        sys.exit(1)
    except OSError as error:
        name = error.filename
        if name is None and error.errno in _FULL and _is_standard_output_full():
            name = "standard output"
            _discard_standard_output()
        print_error(str(error) if name is None else f"{name}: {error.strerror}")
        sys.exit(2)


def _is_standard_output_full() -> bool:
    """Whether standard output takes no more bytes; errors of streams, unlike errors of files, have no name."""
    try:
        os.write(1, b"\n")
    except OSError as error:
        return error.errno in _FULL
    return False


def _discard_standard_output() -> None:
    """Discard what standard output did not take, which Python would try to write again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_user_error(error: ValueError) -> bool:
    if isinstance(error, InputError):
        return True
    package = __package__.rpartition(".")[0]
    loaded = {sys.modules.get(f"{package}.{module}"): name for module, name in _USER_ERRORS.items()}
    return any(isinstance(error, getattr(module, name)) for module, name in loaded.items() if module is not None)

"""The command line: its subcommands, and how errors end it."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import directrank

from ..data import InputError
from ..measures import MeasureError
from ..models import ModelError
from .ctrl_c import ending_well
from .output import print_error

#: The module of each command, in the order of the help.
COMMANDS = {
    "demo": "demo",
    "features": "features",
    "describe": "describe",
    "train": "train",
    "predict": "predict",
    "evaluate": "evaluate",
    "compare": "compare",
    "report": "report",
    "export": "export",
    "fuse": "fuse",
    "convert": "convert",
    "papers": "papers",
}

_SETTINGS: dict[str, Any] = {
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}


class _Commands(TyperGroup):
    """Imports a command's module when it is asked for: scikit-learn takes a second, which most commands can do without."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        for name in [cmd_name] if cmd_name in COMMANDS else COMMANDS:  # all, where Typer looks for what was meant
            if name not in self.commands:
                module = import_module(f".{COMMANDS[name]}", __package__)
                self.commands[name] = typer.main.get_command(_typer_of(name, getattr(module, name)))
        return self.commands.get(cmd_name)


def _typer_of(name: str, command: Callable[..., None] | dict[str, Callable[..., None]]) -> typer.Typer:
    """A command; where it is a dict, a group of commands by their names."""
    made = typer.Typer(no_args_is_help=isinstance(command, dict), **_SETTINGS)
    for each, function in (command if isinstance(command, dict) else {name: command}).items():
        made.command(each)(ending_well(function))
    return made


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    help="Learn to rank by optimising, directly, the measure you are judged by.",
    **_SETTINGS,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(directrank.__version__)
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
    sys.path.append(os.getcwd())  # where a custom measure may be
    for stream in (sys.stdout, sys.stderr):  # a name that the terminal cannot show must not end the command
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except (InputError, MeasureError, ModelError) as error:
        print_error(str(error))
        sys.exit(2)
    except BrokenPipeError:  # who reads our output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        print_error(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        sys.exit(2)

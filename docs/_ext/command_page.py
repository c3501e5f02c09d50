"""Reference page of the command line, generated from the command objects: help and options of each subcommand."""

from __future__ import annotations

import re
from typing import Any

import typer

from directrank.cli.app import COMMANDS, app, load_command

INTRODUCTION = """
Command line
============

``directrank COMMAND --help`` prints the same in a terminal. On invalid input a command prints one sentence and exits with
code 2; on Ctrl-C, it exits with code 130.
"""


def command_page() -> str:
    root = typer.Context(typer.main.get_command(app), info_name="directrank")
    return "\n".join([INTRODUCTION, *sections({name: load_command(name) for name in COMMANDS}, root, "-")])


def sections(commands: dict[str, Any], parent: Any, underline: str) -> list[str]:
    """A section for each command; a group has subsections for its commands."""
    found = []
    for name, command in commands.items():
        context = typer.Context(command, info_name=name, parent=parent)
        path = context.command_path
        found += [f".. _command-{path.replace(' ', '-')}:\n", path, underline * len(path), ""]
        if hasattr(command, "commands"):
            found += [*paragraphs(command.help or ""), *sections(command.commands, context, "~")]
        else:
            usage = " ".join([path, *command.collect_usage_pieces(context)])
            found += [*literal([usage]), *paragraphs(command.help or ""), *options(command, context)]
    return found


def paragraphs(text: str) -> list[str]:
    """Help text as paragraphs, with all example commands in one code block at the end."""
    parts: list[str] = []
    examples: list[str] = []
    for paragraph in (part.replace("\b", "").strip() for part in text.split("\n\n")):
        if paragraph.startswith("directrank "):
            examples += paragraph.splitlines()
        elif paragraph:
            parts += [escaped(" ".join(paragraph.split())), ""]
    return [*parts, *(literal(examples) if examples else [])]


def literal(lines: list[str]) -> list[str]:
    return [".. code-block:: text", "", *(f"   {line.strip()}" for line in lines), ""]


def options(command: Any, context: Any) -> list[str]:
    """Arguments and options as a definition list."""
    records = [parameter.get_help_record(context) for parameter in command.params if not getattr(parameter, "hidden", False)]
    lines = [".. rst-class:: options", ""]
    for option, text in filter(None, records):
        name = re.sub(r"<list\[(\w+)\]>", r"<\1> ...", option.strip())
        lines += [f"``{name}``", f"   {escaped(text) or '.'}", ""]
    return lines


def escaped(text: str) -> str:
    """Text with markup escaped, and names of pages as links."""
    plain, *others = re.split(r"docs/(\w+)\.md", text)
    found = without_markup(plain)
    for page, following in zip(others[::2], others[1::2], strict=True):
        found += f":doc:`/{page}`" + without_markup(following)
    return found


def without_markup(text: str) -> str:
    return re.sub(r"([\\*`|_])", r"\\\1", text)

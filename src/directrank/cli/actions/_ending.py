"""The end of a command that trained a model: where it is, what to expect on new queries, and the command to type next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from ...data.io.files import is_stream
from ...selection.expectation import Expectation
from ..console.output import as_text, print_line, print_sentence
from ..options.columns import RowColumns


class Ending(NamedTuple):
    """What a command says at its end.

    Attributes
    ----------
    model : Path or None
        The model file that was written.
    sentence : str
        What to expect on new queries.
    expected : Expectation or None
        The figures of that sentence; None if there is no estimate.
    commands : dict of str
        Commands to type next, by what they do.
    """

    model: Path | None
    sentence: str
    expected: Expectation | None
    commands: dict[str, str]


def print_ending(ending: Ending) -> None:
    """Print an ending below the tables of a command; commands are lines of their own, to be copied."""
    print_line()
    print_sentence(ending.sentence)
    if ending.model is not None:
        print_sentence(f"The model is in {as_text(ending.model)}.")
    for purpose, command in ending.commands.items():
        print_line(f"{purpose}:")
        print_line(f"  {command}")


def ending_as_dict(ending: Ending) -> dict[str, Any]:
    """The fields of an ending in JSON."""
    expected = None if ending.expected is None else asdict(ending.expected)
    model = None if ending.model is None else str(ending.model)
    return {"model": model, "expected": expected, "next": list(ending.commands.values())}


def expectation_sentence(measure: str, expected: Expectation, chosen_from: str) -> str:
    """A sentence on the value to expect on new queries, for the best of some candidates on held-out queries."""
    interval = f"95 % interval {expected.low:.4f} to {expected.high:.4f}"
    mean = f"the mean over {expected.n_queries:,} held-out queries"
    if round(expected.optimism, 4):
        mean += (
            f", {expected.value + expected.optimism:.4f}, less {expected.optimism:.4f} for being the best of {chosen_from}"
        )
    return f"On new queries, expect {measure} of about {expected.value:.4f} ({interval}): {mean}."


def saved_model(output: Path | None) -> Path | None:
    """The file of a model that later commands can read; None for standard output."""
    return None if output is None or is_stream(output) else output


def predict_command(model: Path | None, data: str | Path, columns: RowColumns) -> dict[str, str]:
    """The command that scores new rows, in a file of the same kind as the training data; empty without a model file."""
    if model is None:
        return {}
    plain = str(data).removesuffix(".gz").removesuffix(".zst")
    new = f"new{Path(plain).suffix or '.txt'}"
    named = RowColumns(columns.query, columns.doc, columns.feature_names).arguments()
    return {"To score new rows": shell(["directrank", "predict", model, new, *named, "-o", "scores.csv"])}


def set_options(settings: dict[str, Any]) -> list[str]:
    """Parameters as options of a command."""
    return [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]


def shell(words: Sequence[str | Path]) -> str:
    """A command as printable text, quoted for the shell."""
    return as_text(shlex.join(map(str, words)))

"""Records of experiments: the data they need, the published figures, and the claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..evaluation import Report
from .rows import Rows

#: Figures of a table by row and column; text for a figure such as "39/11 **".
Figures = Mapping[str, Mapping[str, float | str]]


@dataclass(frozen=True)
class Source:
    """A kind of data that an experiment can be run on.

    Attributes
    ----------
    name : str
        Name in ``--data NAME=FOLDER``.
    contents : str
        Description of the files that the folder must contain.
    origin : str
        Where the data come from.
    read : callable
        Reads a folder; raises an `InputError` that says what is missing.
    """

    name: str
    contents: str
    origin: str
    read: Callable[[Path], Any]


@dataclass(frozen=True)
class Outcome:
    """Result of an experiment on a data set.

    Attributes
    ----------
    figures : Figures
        Table of the paper with our values.
    report : Report, optional
        Comparison of the methods, by query or by class.
    charts : dict, optional
        Functions that draw Altair charts, by caption.
    remarks : tuple of str
        Remarks on the figures.
    """

    figures: Figures
    report: Report | None = None
    charts: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper that figures can confirm or refute.

    Attributes
    ----------
    text : str
    holds : callable
        Whether the claim holds for an `Outcome`; None if it cannot be decided. See `claims`.
    sources : tuple of str
        Names of the sources that the claim applies to; empty for all.
    """

    text: str
    holds: Callable[[Outcome], bool | None]
    sources: tuple[str, ...] = ()


@dataclass(frozen=True)
class Experiment:
    """A table or a figure of a paper.

    Attributes
    ----------
    name : str
        Paper and table, such as "yue/table6".
    title : str
    sources : tuple of Source
        Kinds of data it can be run on.
    run : callable
        Takes the data, the `Rows` that store finished rows, and whether to run quickly on a subset; returns an `Outcome`.
    published : dict of Figures
        Published figures by collection.
    claims : tuple of Claim
    differences : str
        Differences from the paper.
    has_report : bool
        Whether outcomes have a report.
    """

    name: str
    title: str
    sources: tuple[Source, ...]
    run: Callable[[Any, Rows, bool], Outcome]
    published: Mapping[str, Figures] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    differences: str = ""
    has_report: bool = True

    @property
    def paper(self) -> str:
        return self.name.partition("/")[0]

    def check_claims(self, outcome: Outcome, source: Source) -> list[tuple[str, bool | None]]:
        """Text of each claim that applies to the source, and whether it holds."""
        applicable = [claim for claim in self.claims if not claim.sources or source.name in claim.sources]
        return [(claim.text, claim.holds(outcome)) for claim in applicable]

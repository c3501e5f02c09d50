"""What an experiment of a paper is: the data it needs, the figures that were published, and the claims made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..evaluation import Report
from .rows import Rows

#: By row and column of a table; text where a figure is not a number, as "39/11 **".
Figures = Mapping[str, Mapping[str, float | str]]


@dataclass(frozen=True)
class Source:
    """A kind of data that an experiment can be run on.

    Attributes
    ----------
    name : str
        As in ``--data NAME=FOLDER``.
    holds : str
        What has to be in the folder.
    origin : str
        Where the data come from.
    read : callable
        Reads a folder; refuses another with an `InputError` that says what is missing.
    """

    name: str
    holds: str
    origin: str
    read: Callable[[Path], Any]


@dataclass(frozen=True)
class Outcome:
    """What an experiment gave on some data.

    Attributes
    ----------
    figures : Figures
        The table of the paper, with our values.
    report : Report, optional
        The comparison of the methods, by query or by class.
    charts : dict, optional
        By caption, what makes an Altair chart: it is called where somebody looks at it.
    remarks : tuple of str
        What a reader must know of these figures.
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
        Whether it is so in an `Outcome`; None if that cannot tell. See `claims`.
    sources : tuple of str
        The kinds of data that it was made of; empty if of all.
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
        Of the paper and the table, as "yue/table6".
    title : str
    sources : tuple of Source
        The kinds of data it can be run on.
    measure : callable
        From data, the `Rows` that are kept, and whether a taste within a minute is enough, to an `Outcome`.
    published : dict of Figures
        By the name of the collection.
    claims : tuple of Claim
    differs : str
        What is not as in the paper.
    compares : bool
        Whether outcomes have a report, of which there can be a page.
    """

    name: str
    title: str
    sources: tuple[Source, ...]
    measure: Callable[[Any, Rows, bool], Outcome]
    published: Mapping[str, Figures] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    differs: str = ""
    compares: bool = True

    @property
    def paper(self) -> str:
        return self.name.partition("/")[0]

    def judged(self, outcome: Outcome, source: Source) -> list[tuple[str, bool | None]]:
        """Each claim that was made of such data, and whether it holds."""
        made = [claim for claim in self.claims if not claim.sources or source.name in claim.sources]
        return [(claim.text, claim.holds(outcome)) for claim in made]

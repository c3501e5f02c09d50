"""Names that were read from a file: text that must not make this process import a module."""

from __future__ import annotations


class NameFromFile(str):
    """The name of a measure as a file has it.

    `directrank.measures.parse` finds measures by it, but imports no module for it that is not imported already.
    """

    __slots__ = ()

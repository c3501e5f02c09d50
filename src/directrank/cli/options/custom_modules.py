"""Modules of custom measures and learners, ``MODULE:NAME``, which are also found in the current folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def current_folder_importable(*names: str | None) -> Iterator[None]:
    """Search the current folder for modules while the block runs, if one of `names` has the form ``MODULE:NAME``.

    It is searched last, and at no other time: a file there must not take the place of a package that is not installed.
    """
    folder = os.getcwd()
    if folder in sys.path or not any(name is not None and ":" in name for name in names):
        yield
        return
    sys.path.append(folder)
    try:
        yield
    finally:
        sys.path.remove(folder)


def import_measure(name: str) -> str:
    """Callback of ``--measure``: imports a custom measure, so that its name can be parsed later."""
    import_measures([name])
    return name


def import_measures(given: list[str] | None) -> list[str] | None:
    """Callback of ``--measure`` in commands that take several."""
    custom = [each for each in given or [] if ":" in each]
    if custom:
        from ...measures import parse
        from ...measures.name_parser import split_names

        with current_folder_importable(*custom):
            for name in (name for each in custom for name in split_names(each)):
                parse(name)
    return given

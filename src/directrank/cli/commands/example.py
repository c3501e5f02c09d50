"""``directrank example``: a small real data set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options.common import AsJson


def example(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder to write; it must be new, empty, or hold an earlier example.")
    ],
    as_json: AsJson = False,
) -> None:
    """Write a small real data set, to follow the tutorial with and to try commands on.

    400 queries are the summary lines of functions of NumPy, SciPy and scikit-learn; documents are the rest of their
    docstrings. There are texts, judgments, TREC runs, raw features as CSV and Parquet, the log of a search engine, and a log
    of clicks, which are simulated. Nothing is downloaded.

    directrank example data
    """
    from ..actions.example import run

    run(folder, as_json)

"""``directrank describe``: print statistics of a data set, and warnings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options.columns import ColumnOptions
from ..options.common import AsJson
from ..options.max_size import MaxSize


def describe(
    files: Annotated[list[Path], typer.Argument(metavar="DATA", help="Ranking data; several files are several data sets.")],
    columns: ColumnOptions = ColumnOptions(),
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Print statistics of a data set, and warnings about problems for training.

    Several files are described beside each other, with warnings about what they share.

    directrank describe train.txt

    directrank describe train.txt vali.txt test.txt
    """
    from ..actions.describe import DescribeOptions, run

    run(DescribeOptions(files, columns, as_json))

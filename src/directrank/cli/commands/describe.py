"""``directrank describe``: print statistics of a data set, and warnings."""

from __future__ import annotations

from ..options.columns import ColumnOptions
from ..options.common import AsJson, DataArgument
from ..options.max_size import MaxSize


def describe(
    files: DataArgument,
    columns: ColumnOptions = ColumnOptions(),
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Print statistics of a data set, and warnings about problems for training.

    directrank describe train.txt
    """
    from ..actions.describe import DescribeOptions, run

    run(DescribeOptions(files, columns, as_json))

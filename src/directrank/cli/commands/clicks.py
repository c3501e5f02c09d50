"""``directrank clicks``: logs of what users were shown and what they clicked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options.click_logs import LogArgument, LogColumnOptions
from ..options.common import AsJson, output_file
from ..options.max_size import MaxSize


def describe(
    files: LogArgument,
    columns: LogColumnOptions = LogColumnOptions(),
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Print statistics of a click log: sessions, click rates by rank, what can be estimated and what cannot.

    directrank clicks describe log.parquet
    """
    from ..actions.clicks import describe_logs

    describe_logs(files, columns, as_json)


def bias(
    files: LogArgument,
    output: Annotated[Path, output_file("File of the position bias to write; - is standard output.")],
    columns: LogColumnOptions = LogColumnOptions(),
    method: Annotated[
        str,
        typer.Option(metavar="NAME", help="Method: auto, swaps, harvesting, pbm or trust. auto takes what the log allows."),
    ] = "auto",
    assume: Annotated[
        bool, typer.Option("--assume", help="Estimate also where nothing in the log tells position from relevance.")
    ] = False,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Estimate the position bias of a click log, with intervals, and write it for ``directrank train --clicks``.

    directrank clicks bias log.parquet -o bias.json

    directrank clicks bias log.csv --ranker variant -o bias.json
    """
    from ..actions.clicks import estimate

    estimate(files, output, columns, method, assume, as_json)


def judge(
    files: LogArgument,
    output: Annotated[Path, output_file("Table of judgments to write, by its extension; - is CSV to standard output.")],
    columns: LogColumnOptions = LogColumnOptions(),
    click_model: Annotated[
        str, typer.Option(metavar="NAME", help="Click model: PBM, cascade, DCM, SDBN, DBN or UBM.")
    ] = "SDBN",
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Write the relevance of each logged pair by a click model, with how sure it is, for people who want grades.

    directrank clicks judge log.parquet -o judgments.csv
    """
    from ..actions.clicks import write_judgments

    write_judgments(files, output, columns, click_model, as_json)


clicks = {"describe": describe, "bias": bias, "judge": judge}

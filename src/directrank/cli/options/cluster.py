"""The option ``--cluster``: a Dask cluster to train, predict and evaluate on."""

from __future__ import annotations

from typing import Annotated

import typer

ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Dask scheduler, such as tcp://host:8786, or local or local:4 for workers on this machine. The data must be "
        "Parquet files, folders or glob patterns that the workers can read, with whole queries in each file.",
    ),
]

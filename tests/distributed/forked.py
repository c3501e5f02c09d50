"""Processes that are forked from a server which has imported what they need, so that one starts within milliseconds."""

from __future__ import annotations

import multiprocessing

FORKSERVER = multiprocessing.get_context("forkserver")
FORKSERVER.set_forkserver_preload(
    [
        "pytest",
        "hypothesis",
        "distributed.cli.dask_scheduler",
        "distributed.cli.dask_worker",
        "directrank.distributed.remote_call",
        "directrank.distributed.dask_shards",
        "directrank.distributed.sources",
    ]
)

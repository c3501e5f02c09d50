"""Process shards with `run_collective`, written from docs/shards.md: LightGBM connects the processes by its own sockets."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import lightgbm as lgb
from process_shards import ProcessShards, task_after

from directrank.learners import Task, Worker

#: On a worker: ranks by the name and key of their shards, with all that they remember.
_ranks: dict[tuple[str, int], Worker] = {}


class CollectiveShards(ProcessShards):
    """Shards whose processes can work together."""

    def run_collective(self, work: Callable[..., Any], *args: Any) -> list[Any]:
        self.each(_nothing)  # so that all processes have their tasks
        workers, numbers = self.source.workers, range(len(self.source.parts))
        held = [
            [number for number in numbers if (number + self.source.first) % workers.n == rank] for rank in range(workers.n)
        ]
        job = (self.source.name, self.key, self.changes, _free_ports(workers.n), work, args)
        running = [workers.submit(rank, _run_rank, rank, shards, *job) for rank, shards in enumerate(held)]
        return [future.result() for future in running]


def _run_rank(
    rank: int, shards: list[int], name: str, key: int, changes: Any, ports: list[int], work: Callable[..., Any], args: Any
) -> Any:
    tasks = [task_after(name, number, changes) for number in shards]
    worker = _ranks.setdefault((name, key), Worker(tasks, rank, len(ports), n_threads=1))
    machines = ",".join(f"127.0.0.1:{port}" for port in ports)
    lgb.basic._safe_call(lgb.basic._LIB.LGBM_NetworkInit(machines.encode(), ports[rank], 1, len(ports)))
    try:
        return work(worker, *args)
    finally:
        lgb.basic._safe_call(lgb.basic._LIB.LGBM_NetworkFree())


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [one.getsockname()[1] for one in sockets]


def _nothing(task: Task) -> None:
    """A step that only derives the tasks."""

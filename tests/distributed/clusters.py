"""Real schedulers and workers: processes of their own, over TCP."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
from distributed import Client

from directrank import RankingData
from directrank.data import write_parquet
from directrank.datasets import make_ranking
from directrank.distributed import ShardedData

#: Workers must not print into the tests' output, nor use ports that others could have.
QUIET = {
    "DASK_DISTRIBUTED__WORKER__DAEMON": "false",
    "DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "error",
    "OMP_WAIT_POLICY": "passive",
    "PYTHONPATH": os.pathsep.join(filter(None, (str(Path(__file__).parent), os.environ.get("PYTHONPATH")))),
}


class Cluster:
    """A scheduler and workers, each started by the `dask` command.

    Parameters
    ----------
    folder : Path
    n_workers : int
    nanny : bool
        Whether workers that die are started again.
    """

    def __init__(self, folder: Path, n_workers: int, nanny: bool = True) -> None:
        self.folder, self.nanny, self.environment = folder, nanny, {}
        self.file = folder / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        self.client: Client | None = None
        try:
            self._start("scheduler", "--port", "0", "--host", "127.0.0.1", "--no-dashboard", "--no-jupyter")
            for _ in range(n_workers):
                self.start_worker()
            self.address = self._wait_for_scheduler(60)
            self.client = Client(self.address, timeout=60, set_as_default=False)
            if n_workers:
                self.client.wait_for_workers(n_workers, timeout=120)
        except BaseException:
            self.close()
            raise

    def start_worker(self) -> None:
        """One more, of one thread."""
        nanny = "--nanny" if self.nanny else "--no-nanny"
        name = f"w{len(self.processes)}"
        arguments = ("--nthreads", "1", "--memory-limit", "0", "--host", "127.0.0.1", "--no-dashboard", "--name", name)
        self._start("worker", nanny, *arguments)

    def _start(self, what: str, *arguments: str) -> None:
        command = [sys.executable, "-m", "dask", what, "--scheduler-file", str(self.file), *arguments]
        environment = os.environ | QUIET | self.environment
        with open(self.folder / f"{what}-{time.monotonic_ns()}.log", "wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, start_new_session=True)
        self.processes.append(process)

    def _wait_for_scheduler(self, seconds: float) -> str:
        """Its address, as soon as it has written it down."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.processes[0].poll() is None:
            with suppress(FileNotFoundError, ValueError):  # not there, or half of it
                return json.loads(self.file.read_text())["address"]
            time.sleep(0.05)
        said = next(self.folder.glob("scheduler-*.log")).read_text()
        raise TimeoutError(f"the scheduler has not started within {seconds:g} s: {said}")

    def pids(self) -> dict[str, int]:
        """Process ids of the workers, by address."""
        return self.client.run(os.getpid)

    def kill(self, address: str) -> None:
        os.kill(self.pids()[address], signal.SIGKILL)

    def holders(self, data: ShardedData) -> list[str]:
        """The workers that hold shards."""
        return sorted({address for holders in self.client.who_has(data.shards).values() for address in holders})

    def close(self) -> None:
        for process in reversed(self.processes):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        for process in self.processes:
            process.wait(10)
        if self.client is not None:
            with suppress(OSError):  # nobody is there any more
                self.client.close(timeout=1)


def parts_of(data: RankingData, n: int) -> list[RankingData]:
    """Data divided between queries."""
    return [data.select_queries(part) for part in np.array_split(np.arange(data.n_queries), n)]


def write_parts(folder: Path, parts: list[RankingData]) -> str:
    folder.mkdir(exist_ok=True)
    for number, part in enumerate(parts):
        write_parquet(folder / f"{number:03}.parquet", part)
    return str(folder / "*.parquet")


DATA, HELD_OUT = make_ranking(40, (5, 30), random_state=0), make_ranking(12, (5, 30), random_state=9)
PARTS, HELD_OUT_PARTS = parts_of(DATA, 3), parts_of(HELD_OUT, 2)

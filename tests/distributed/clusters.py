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

import dask
import numpy as np
from certificates import Certificate
from distributed import Client
from distributed.cli import dask_scheduler, dask_worker
from distributed.config import initialize_logging
from forked import FORKSERVER

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


class _Forked(FORKSERVER.Process):
    """A forked process with the methods of a `subprocess.Popen`."""

    def poll(self) -> int | None:
        return self.exitcode

    def wait(self, seconds: float) -> None:
        self.join(seconds)


def _run_dask(what: str, arguments: tuple[str, ...], log: Path) -> None:
    """Run the `dask` command in a forked process."""
    os.setsid()
    with open(log, "wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.environ.update(QUIET)
    dask.config.refresh()
    initialize_logging(dask.config.config)
    command = {"scheduler": dask_scheduler.main, "worker": dask_worker.main}[what]
    command(list(arguments), standalone_mode=False)


class Cluster:
    """A scheduler and workers, each a process that runs the `dask` command.

    Processes are forked, but for those with a nanny, which starts its worker itself, or an environment of their own.

    Parameters
    ----------
    folder : Path
    n_workers : int
    nanny : bool
        Whether workers that die are started again.
    certificate : Certificate, optional
        With it, all connections are encrypted.
    environment : dict, optional
        Environment of the processes, in addition to that of this one.
    """

    def __init__(
        self,
        folder: Path,
        n_workers: int,
        nanny: bool = True,
        certificate: Certificate | None = None,
        environment: dict[str, str] | None = None,
    ) -> None:
        self.folder, self.nanny, self.environment, self.certificate = folder, nanny, environment or {}, certificate
        self.file = folder / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes] | _Forked] = []
        self.client: Client | None = None
        try:
            self._start("scheduler", "--port", "0", "--host", "127.0.0.1", "--no-dashboard", "--no-jupyter")
            for _ in range(n_workers):
                self.start_worker()
            self.address = self._wait_for_scheduler(60)
            security = None if certificate is None else certificate.security()
            self.client = Client(self.address, timeout=60, set_as_default=False, security=security)
            if n_workers:
                self.client.wait_for_workers(n_workers, timeout=120)
        except BaseException:
            self.close()
            raise

    def start_worker(self, *address: str) -> None:
        """One more, of one thread; at an address of its own if options are given."""
        nanny = "--nanny" if self.nanny else "--no-nanny"
        name = f"w{len(self.processes)}"
        arguments = ("--nthreads", "1", "--memory-limit", "0", "--no-dashboard", "--name", name)
        self._start("worker", nanny, *arguments, *(address or ("--host", "127.0.0.1")))

    def _start(self, what: str, *arguments: str) -> None:
        arguments = ("--scheduler-file", str(self.file), *arguments)
        if self.certificate is not None:
            certificate, key = self.certificate
            arguments += ("--protocol", "tls", "--tls-ca-file", certificate, "--tls-cert", certificate, "--tls-key", key)
        log = self.folder / f"{what}-{time.monotonic_ns()}.log"
        if self.environment or "--nanny" in arguments:
            command = [sys.executable, "-m", "dask", what, *arguments]
            with open(log, "wb") as file:
                environment = os.environ | QUIET | self.environment
                process = subprocess.Popen(command, stdout=file, stderr=file, env=environment, start_new_session=True)
        else:
            process = _Forked(target=_run_dask, args=(what, arguments, log), daemon=True)
            process.start()
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

    def restart_scheduler(self, n_workers: int) -> None:
        """Kill the scheduler, and start another on its port with new workers: the old ones end with the old scheduler."""
        os.killpg(self.processes[0].pid, signal.SIGKILL)
        self.processes[0].wait(10)
        port = self.address.rpartition(":")[2]
        self._start("scheduler", "--port", port, "--host", "127.0.0.1", "--no-dashboard", "--no-jupyter")
        for _ in range(n_workers):
            self.start_worker()

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
            process.kill()  # one that has no group yet
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

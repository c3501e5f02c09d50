"""Run every contestant on every fold of every collection, and save the values of the test queries.

Saved results are not computed again, so an interrupted run can continue; delete the files of a changed learner to run it
again.
"""

from __future__ import annotations

import os
import re
import time
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import product
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track

from directrank import evaluate

from . import MEASURES
from .collections import collection_name, read_folds
from .contestant import Contestant
from .outcome import Found, Outcome
from .record import FIGURES, Key, Record


def run_all(sources: list[str], contestants: list[Contestant], n_seeds: int, results: Path, n_jobs: int | None) -> None:
    """Run what is missing, in single-threaded processes: the first seed of every contestant on every source first.

    Parameters
    ----------
    n_jobs : int or None
        Number of processes; None is one per core.
    """
    results.mkdir(parents=True, exist_ok=True)
    jobs = [
        (source, contestant.name, seed, str(_file(results, source, contestant, seed)))
        for seed in range(n_seeds)
        for contestant in contestants
        for source in sources
        if (seed == 0 or contestant.is_random) and not _file(results, source, contestant, seed).exists()
    ]
    with (
        _environment(OMP_NUM_THREADS="1"),
        ProcessPoolExecutor(n_jobs, mp_context=get_context("spawn")) as pool,
    ):
        done = pool.map(_run, *zip(*jobs, strict=True)) if jobs else []
        for _ in track(done, "Training", total=len(jobs), console=Console(stderr=True)):
            pass


@contextmanager
def _environment(**variables: str) -> Iterator[None]:
    """Set environment variables for the processes that are started in the block."""
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def saved_record(results: Path, sources: Iterable[str], contestants: Iterable[Contestant], n_seeds: int) -> Record:
    """Means of all saved values."""
    record: Record = {}
    for source, contestant, seed in product(sources, contestants, range(n_seeds)):
        file = _file(results, source, contestant, seed)
        if file.exists():
            with np.load(file) as saved:
                key = Key(collection_name(source), contestant.name, seed)
                record[key] = {name: float(saved[name].mean()) for name in FIGURES}
    return record


def saved_values(results: Path, source: str, contestant: Contestant, n_seeds: int) -> np.ndarray | None:
    """Values of the test queries of all folds, a column for each measure, averaged over the saved seeds, if any."""
    by_seed = []
    for seed in range(n_seeds):
        file = _file(results, source, contestant, seed)
        if file.exists():
            with np.load(file) as saved:
                by_seed.append(np.column_stack([saved[measure] for measure in MEASURES]))
    return np.mean(by_seed, axis=0) if by_seed else None


def outcomes(
    sources: Iterable[str], contestants: Iterable[Contestant], n_seeds: int, results: Path, record: Record
) -> list[Outcome]:
    """Recorded means of each source, over the first `n_seeds` seeds, with saved values of queries; none without figures."""
    found = []
    for source in sources:
        figures: dict[Contestant, Found] = {}
        for contestant in contestants:
            keys = [Key(collection_name(source), contestant.name, seed) for seed in range(n_seeds)]
            by_seed = [record[key] for key in keys if key in record]
            if by_seed:
                means = {name: float(np.mean([each[name] for each in by_seed])) for name in FIGURES}
                figures[contestant] = Found(len(by_seed), means, saved_values(results, source, contestant, n_seeds))
        if figures:
            found.append(Outcome(collection_name(source), figures))
    return found


def select_contestants(names: Iterable[str]) -> list[Contestant]:
    """Contestants whose names start with one of the given names; all if there are none."""
    from .ours import ours
    from .peers import peers
    from .single_feature import single_feature

    prefixes = tuple(names)
    return [each for each in (single_feature(), *ours(), *peers()) if not prefixes or each.name.startswith(prefixes)]


def _run(source: str, name: str, seed: int, file: str) -> None:
    """Run one contestant on the folds of one collection; runs in its own process."""
    contestant = next(each for each in select_contestants([]) if each.name == name)
    values: dict[str, list[np.ndarray]] = {measure: [] for measure in MEASURES}
    queries: list[str] = []
    seconds = 0.0
    for fold in read_folds(source):
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            score = contestant.train(fold, seed)
            seconds += time.process_time() - start
            scores = score()
        for measure in MEASURES:
            values[measure].append(evaluate(fold.test.y, scores[measure], fold.test.qid, measure).values(measure))
        queries += [str(each) for each in fold.test.by_query().ids]
    part = Path(file).with_suffix(".part.npz")
    np.savez(part, qid=np.array(queries), seconds=seconds, **{m: np.concatenate(each) for m, each in values.items()})
    part.replace(file)


def _file(results: Path, source: str, contestant: Contestant, seed: int) -> Path:
    words = re.sub(r"[^A-Za-z0-9@]+", "-", f"{collection_name(source)} {contestant.name}")
    return results / f"{words}-{seed}.npz"

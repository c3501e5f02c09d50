"""Every contestant on every fold of every set: the values of the test queries, kept on disk as they come.

What is there already is not computed again, so a run that was broken off goes on, and a changed learner is run again by
deleting its files.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track

from directrank import evaluate
from directrank.evaluation import Evaluation

from . import MEASURES
from .contestant import Contestant
from .sets import folds_of, name_of


def run_all(sources: list[str], contestants: list[Contestant], n_seeds: int, results: Path) -> None:
    """Run what is missing, in as many processes of one thread as there are cores; the first seed of everybody first."""
    results.mkdir(parents=True, exist_ok=True)
    jobs = [
        (source, contestant.name, seed, str(_file(results, source, contestant, seed)))
        for seed in range(n_seeds)
        for source in sources
        for contestant in contestants
        if (seed == 0 or contestant.is_random) and not _file(results, source, contestant, seed).exists()
    ]
    with (
        _environment(OMP_NUM_THREADS="1"),
        ProcessPoolExecutor(mp_context=get_context("spawn")) as pool,
    ):
        done = pool.map(_run, *zip(*jobs, strict=True)) if jobs else []
        for _ in track(done, "Training", total=len(jobs), console=Console(stderr=True)):
            pass


@contextmanager
def _environment(**variables: str) -> Iterator[None]:
    """Set for the processes that are started meanwhile."""
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def n_seeds_of(results: Path, source: str, contestant: Contestant, n_seeds: int) -> int:
    """How many seeds, of so many at most, have been run."""
    there = [_file(results, source, contestant, seed).exists() for seed in range(n_seeds)]
    return there.index(False) if False in there else n_seeds


def evaluation(results: Path, source: str, contestant: Contestant, n_seeds: int) -> Evaluation:
    """The values of the test queries of all folds, in the mean over the first so many seeds."""
    of_seeds = [np.load(_file(results, source, contestant, seed)) for seed in range(n_seeds)]
    values = {measure: np.mean([each[measure] for each in of_seeds], axis=0) for measure in MEASURES}
    return Evaluation(of_seeds[0]["qid"], values, dict.fromkeys(MEASURES, 0))


def chosen(names: Iterable[str]) -> list[Contestant]:
    """The contestants whose names begin so; all, if none is named."""
    from .ours import ours
    from .peers import peers

    wanted = tuple(names)
    return [each for each in (*ours(), *peers()) if not wanted or each.name.startswith(wanted)]


def _run(source: str, name: str, seed: int, file: str) -> None:
    """One contestant on the folds of one set, in a process of its own."""
    contestant = next(each for each in chosen([]) if each.name == name)
    values: dict[str, list[np.ndarray]] = {measure: [] for measure in MEASURES}
    queries: list[str] = []
    for fold in folds_of(source):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = contestant.scores(fold, seed)
        for measure in MEASURES:
            values[measure].append(evaluate(fold.test.y, scores[measure], fold.test.qid, measure).values(measure))
        queries += [str(each) for each in fold.test.by_query().ids]
    part = Path(file).with_suffix(".part.npz")
    np.savez(part, qid=np.array(queries), **{m: np.concatenate(each) for m, each in values.items()})
    part.replace(file)


def _file(results: Path, source: str, contestant: Contestant, seed: int) -> Path:
    words = re.sub(r"[^A-Za-z0-9@]+", "-", f"{name_of(source)} {contestant.name}")
    return results / f"{words}-{seed}.npz"

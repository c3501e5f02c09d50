"""``python -m benchmarks.clicks SOURCE... [--sessions N...] [--eta E...] [--user pbm|cascade] [--seeds N]``.

A SOURCE is as in `benchmarks.effectiveness`: a folder such as MQ2008, or the word ``docstrings``. On its first folds, a
production ranking is learned from few graded queries, users click on it, and learners that see only these clicks are
compared with the production ranking and with learning from all grades, by nDCG@10 on the true grades of the test queries.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from itertools import islice, product

import numpy as np

from benchmarks.effectiveness.collections import collection_name, read_folds
from directrank.data.splits import Split

from .click_setting import Setting, produce, simulate
from .click_table import Values, print_table
from .competitors import PEERS
from .contenders import LEARNERS, learn_from_grades


def main(arguments: list[str]) -> None:
    given = _parse(arguments)
    settings = [
        Setting(given.user, eta, n, given.ranks, given.randomised)
        for eta, n in product(given.eta if given.user == "pbm" else [0.0], given.sessions)
    ]
    for source in given.sources:
        runs = [
            _run(fold, settings, seed, given.peer_sessions)
            for fold in islice(read_folds(source), given.folds)
            for seed in range(given.seeds)
        ]
        print_table(collection_name(source), settings, runs)


def _run(fold: Split, settings: list[Setting], seed: int, peer_sessions: int) -> list[Values]:
    """Values of each setting, by the name of the contender."""
    with warnings.catch_warnings(action="ignore"):
        production = produce(fold, seed)
        bounds = {"production": production.value, "true grades": learn_from_grades(production, seed)}
        _tell("", bounds)
        found = []
        for setting in settings:
            simulated = simulate(production, setting, seed)
            values = dict(bounds)
            contenders = LEARNERS | (PEERS if setting.n_sessions <= peer_sessions else {})
            for name, learn in contenders.items():
                values[name] = learn(simulated, seed)
                _tell(f"{setting}: ", {name: values[name]})
            found.append(values)
    return found


def _tell(where: str, values: Values) -> None:
    """Show progress."""
    for name, value in values.items():
        print(f"{where}{name} {np.nan if value is None else value:.4f}", file=sys.stderr, flush=True)


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.clicks")
    parser.add_argument("sources", nargs="+", metavar="SOURCE")
    parser.add_argument("--sessions", type=int, nargs="+", default=[10_000, 100_000], help="numbers of training sessions")
    parser.add_argument("--eta", type=float, nargs="+", default=[1.0], help="strengths of the position bias of pbm")
    parser.add_argument("--user", choices=["pbm", "cascade"], default="pbm")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--folds", type=int, default=1, help="number of folds of each source")
    parser.add_argument("--ranks", type=int, default=10, help="number of documents that are shown, at most")
    parser.add_argument("--randomised", type=float, default=0.1, help="share of the sessions that are shuffled")
    parser.add_argument(
        "--peer-sessions",
        type=int,
        default=100_000,
        help="largest log for LightGBM and XGBoost, which copy X for each session",
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main(sys.argv[1:])

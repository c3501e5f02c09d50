"""``python -m benchmarks.effectiveness FOLDER... [--seeds N] [--only NAME...] [--results DIR]``.

A FOLDER has LETOR's five folds, Cranfield, or TREC runs with qrels; the word ``docstrings`` stands for the collection of the
demo. Each of our learners, for every measure, and LightGBM, XGBoost and CatBoost are trained on the training queries of each
fold; parameters are chosen on its validation queries, and its test queries are evaluated.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from .collections import collection_name
from .runs import run_all, select_contestants
from .tables import print_all


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.effectiveness")
    parser.add_argument("sources", nargs="+", metavar="FOLDER")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument(
        "--only", nargs="*", default=[], metavar="NAME", help="run only learners whose names start with NAME"
    )
    parser.add_argument("--jobs", type=int, help="number of processes; one per core by default")
    parser.add_argument("--results", type=Path, default=Path(".effectiveness"), help="folder for the values of queries")
    parser.add_argument("--print", action="store_true", help="print saved results without training")
    given = parser.parse_args()
    contestants = select_contestants(given.only)
    if len(set(map(collection_name, given.sources))) < len(given.sources):
        parser.error("two folders have the same name, by which results are saved; run them with different --results")
    if not given.print:
        run_all(given.sources, contestants, given.seeds, given.results, given.jobs)
    print_all(given.sources, contestants, given.results, given.seeds)


if __name__ == "__main__":
    main()

"""``python -m benchmarks.effectiveness FOLDER... [--seeds N] [--only NAME...] [--results DIR]``.

A FOLDER has LETOR's five folds, Cranfield, or TREC runs with their judgments; the word ``docstrings`` is the collection that
the demo makes. Every learner of ours, for every measure, and LightGBM, XGBoost and CatBoost learn from the training queries
of each fold; all choices are made on its validation queries, and its test queries are measured.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from .runs import chosen, run_all
from .sets import name_of
from .tables import print_all


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.effectiveness")
    parser.add_argument("sources", nargs="+", metavar="FOLDER")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="learners whose names begin so")
    parser.add_argument("--results", type=Path, default=Path(".effectiveness"), help="where the values of queries are kept")
    parser.add_argument("--print", action="store_true", help="train nothing; print what is there")
    given = parser.parse_args()
    contestants = chosen(given.only)
    if len(set(map(name_of, given.sources))) < len(given.sources):
        parser.error(
            "two of the folders have the same name; results are kept by it, so run them with --results of their own"
        )
    if not given.print:
        run_all(given.sources, contestants, given.seeds, given.results)
    print_all(given.sources, contestants, given.results, given.seeds)


if __name__ == "__main__":
    main()

"""``python -m benchmarks.effectiveness SOURCE... [--seeds N] [--only NAME...] [--jobs N] [--results DIR] [--record FILE]``.

A SOURCE is a folder with LETOR's five folds, Cranfield, or TREC runs with qrels; or the word ``docstrings``, the collection
of the demo; or a generated family with its number of queries, such as ``thresholds-200``. Each of our learners, for every
measure, and LightGBM, XGBoost and CatBoost are trained on the training queries of each fold; parameters are chosen on its
validation queries, and its test queries are evaluated.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .collections import collection_name
from .record import read_record, write_record
from .runs import outcomes, run_all, saved_record, select_contestants
from .tables import print_all


def main(arguments: list[str]) -> None:
    given = _parse(arguments)
    contestants = select_contestants(given.only)
    if not given.print:
        run_all(given.sources, contestants, given.seeds, given.results, given.jobs)
    record = read_record(given.record) if given.record else {}
    record |= saved_record(given.results, given.sources, contestants, given.seeds)
    if given.record:
        write_record(given.record, record)
    sources = given.sources or sorted({key.set for key in record})
    print_all(outcomes(sources, contestants, given.seeds, given.results, record))


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.effectiveness")
    parser.add_argument("sources", nargs="*", metavar="SOURCE")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument(
        "--only", nargs="*", default=[], metavar="NAME", help="run only learners whose names start with NAME"
    )
    parser.add_argument("--jobs", type=int, help="number of processes; one per core by default")
    parser.add_argument("--results", type=Path, default=Path(".effectiveness"), help="folder for the values of queries")
    parser.add_argument(
        "--record", type=Path, metavar="FILE", help="CSV of means, which are added to it and printed with it"
    )
    parser.add_argument(
        "--print", action="store_true", help="print saved results without training; of all sets of the record by default"
    )
    given = parser.parse_args(arguments)
    if not given.sources and not (given.print and given.record):
        parser.error("name a source, or --print a --record")
    if len(set(map(collection_name, given.sources))) < len(given.sources):
        parser.error("two folders have the same name, by which results are saved; run them with different --results")
    return given


if __name__ == "__main__":
    main(sys.argv[1:])

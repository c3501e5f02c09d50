"""Run benchmarks and print one table: ``python -m benchmarks [NAME ...]``, all by default."""

from __future__ import annotations

import sys

from . import (
    boosting,
    c_programs,
    comparing,
    distributed,
    evaluating,
    evaluating_runs,
    exporting,
    growth,
    lambdamart,
    reading,
    retrieving,
    starting,
    structural_svm,
)
from .timing import Result, print_results

ALL = {
    "reading": reading.run,
    "evaluating": evaluating.run,
    "evaluating_runs": evaluating_runs.run,
    "comparing": comparing.run,
    "starting": starting.run,
    "structural_svm": structural_svm.run,
    "c_programs": c_programs.run,
    "boosting": boosting.run,
    "lambdamart": lambdamart.run,
    "retrieving": retrieving.run,
    "exporting": exporting.run,
    "distributed": distributed.run,
    "growth": growth.run,
}


def main(names: list[str]) -> None:
    unknown = set(names) - set(ALL)
    if unknown:
        sys.exit(f"there is no benchmark {unknown.pop()!r}; there are {', '.join(ALL)}")
    results: list[Result] = []
    for name in names or ALL:
        results += ALL[name]()
    print_results(results)


if __name__ == "__main__":
    main(sys.argv[1:])

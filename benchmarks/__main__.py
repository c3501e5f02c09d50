"""Run benchmarks and print one table: ``python -m benchmarks [NAME ...]``, all by default."""

from __future__ import annotations

import sys

from . import (
    boosting,
    c_programs,
    click_models,
    distributed,
    evaluation,
    export,
    growth,
    lambdamart,
    letor_files,
    retrieval,
    run_evaluation,
    significance,
    startup,
    structural_svm,
    tables,
)
from .timing import Result, print_results

ALL = {
    "letor_files": letor_files.run,
    "tables": tables.run,
    "evaluation": evaluation.run,
    "run_evaluation": run_evaluation.run,
    "significance": significance.run,
    "startup": startup.run,
    "structural_svm": structural_svm.run,
    "c_programs": c_programs.run,
    "boosting": boosting.run,
    "lambdamart": lambdamart.run,
    "retrieval": retrieval.run,
    "export": export.run,
    "distributed": distributed.run,
    "click_models": click_models.run,
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

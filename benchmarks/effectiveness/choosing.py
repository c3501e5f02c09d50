"""What `selection.best` chooses, beside every learner: ``python -m benchmarks.effectiveness.choosing SOURCE...``.

On each fold, `best` chooses by the training and the validation queries within its time. Its model and every learner, trained
on the same queries, are evaluated on the test queries. The best learner is the one with the highest test value, which no
choice can know. A SOURCE is as in `read_folds`.
"""

from __future__ import annotations

import argparse
import warnings
from itertools import islice

import numpy as np

from directrank import RankingData, evaluate
from directrank.measures import as_measure
from directrank.selection import best
from directrank.selection.candidates import default_candidates

from .collections import collection_name, read_folds
from .tables import header

#: Measure to choose by.
MEASURE = "nDCG@10"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.effectiveness.choosing")
    parser.add_argument("sources", nargs="+", metavar="SOURCE")
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit of each search")
    parser.add_argument("--folds", type=int, default=5, help="number of folds of each source")
    given = parser.parse_args()
    print(*header("set", "chosen", "best learner", "", "difference"), sep="\n")
    found = []
    for source in given.sources:
        found.append(_mean_values(source, given.seconds, given.folds))
        print(_row(collection_name(source), found[-1]), flush=True)
    print(_row("mean", {name: float(np.mean([values[name] for values in found])) for name in found[0]}))


def _mean_values(source: str, seconds: float, n_folds: int) -> dict[str, float]:
    """Mean over the test queries of all folds, of the chosen model and of each learner."""
    values: dict[str, list[np.ndarray]] = {}
    for fold in islice(read_folds(source), n_folds):
        parts = (fold.train, fold.validation)
        arrays = (np.concatenate([np.asarray(getattr(part, name)) for part in parts]) for name in ("X", "y", "qid"))
        data = RankingData(*arrays)
        with warnings.catch_warnings(action="ignore"):
            models = {"chosen": best(data, MEASURE, seconds=seconds).model}
            for candidate in default_candidates(as_measure(MEASURE)):
                models[candidate.name] = candidate.learner.fit(data.X, data.y, data.qid)
        for name, model in models.items():
            scores = model.predict(fold.test.X, fold.test.qid)
            values.setdefault(name, []).append(evaluate(fold.test.y, scores, fold.test.qid, MEASURE).values(MEASURE))
    return {name: float(np.concatenate(each).mean()) for name, each in values.items()}


def _row(name: str, values: dict[str, float]) -> str:
    learners = {learner: value for learner, value in values.items() if learner != "chosen"}
    top = max(learners, key=lambda learner: learners[learner])
    chosen, highest = values["chosen"], learners[top]
    return f"| {name} | {chosen:.4f} | {highest:.4f} | {top} | {chosen - highest:+.4f} |"


if __name__ == "__main__":
    main()

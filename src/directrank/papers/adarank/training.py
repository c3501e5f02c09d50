"""Figures 9 to 11, section 4.5: what AdaRank makes of the measure that it is trained by."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...data import RankingData
from ...evaluation import Evaluation, Report, compare_all, evaluate
from ...learners import AdaRank
from ...measures import AP
from ..claims import is_higher
from ..experiment import Claim, Experiment, Outcome
from ..line_chart import line_chart
from ..rows import Rows
from .collection import Collection
from .letor_ohsumed import LETOR
from .protocol import N_TRIALS, Row, Trial, run_trials, trials, tuned
from .text_features import TEXT

MAP, NDCG = "AdaRank.MAP", "AdaRank.NDCG"
TRIALS = tuple(f"trial {i + 1}" for i in range(N_TRIALS))

#: The rounds of Figure 11, and those of which the table has the values.
N_ROUNDS = 350
SHOWN = (1, *range(25, N_ROUNDS + 1, 25))

#: Ways to read "when there is no improvement, the iteration stops".
ASIDE, PATIENT, LITERAL = "set aside", "patient", "literal"
READINGS: dict[str, dict[str, Any]] = {
    ASIDE: {},
    PATIENT: {"early_stopping_rounds": N_ROUNDS, "tol": 0.0},
    LITERAL: {"set_aside": False},
}


def on_training_queries(column: str, collection: Collection, rows: Rows, quick: bool) -> Outcome:
    """Figures 9 and 10: a measure on the training queries, after training by MAP and by NDCG@5."""
    found = run_trials(collection, rows, quick, (MAP, NDCG))
    figures = {
        name: {
            f"{column} in {trial}": float(np.mean(list(row["training"][column].values())))
            for trial, row in zip(TRIALS, parts, strict=True)
        }
        for name, parts in found.items()
    }
    return Outcome(figures, remarks=collection.remarks)


def learning_curve(collection: Collection, rows: Rows, quick: bool) -> Outcome:
    """Figure 11: MAP on the training queries of trial 1 after each round, and on its test queries."""
    data, measure = collection.features(tuned(collection, rows, quick)), collection.average_precision
    compute = partial(_curve, data, trials(data)[0], measure, N_ROUNDS // 5 if quick else N_ROUNDS)
    found = rows.each("AdaRank.MAP on trial 1, stopping", list(READINGS), compute)
    columns = {f"{reading}{suffix}": curve[part] for reading, curve in found.items() for part, suffix in _PARTS.items()}
    figures: dict[str, dict[str, float | str]] = {
        f"round {i}": {name: values[i - 1] for name, values in columns.items() if i <= len(values)} for i in SHOWN
    }
    peaks = {name: int(np.argmax(curve["training"])) for name, curve in found.items() if curve["training"]}
    figures["peak"] = {
        f"{name}{suffix}": found[name][part][at] for name, at in peaks.items() for part, suffix in _PARTS.items()
    }
    figures["rounds"] = {name: len(curve["training"]) for name, curve in found.items()}
    return Outcome(
        {name: row for name, row in figures.items() if row},
        _compared(found),
        charts=_charts({name: curve["training"] for name, curve in found.items()}),
        remarks=collection.remarks,
    )


_PARTS = {"training": "", "test": ", test"}


def _curve(data: RankingData, trial: Trial, measure: AP, max_rounds: int, reading: str) -> Row:
    """The measure after each round, on all training queries and on the test queries; and that of the model in the end.

    AdaRank's own curve leaves out training queries without relevant documents, which count 0 here.
    """
    train, test = data.select(trial.training), data.select(trial.test)
    model = AdaRank(measure, max_rounds=max_rounds, **READINGS[reading]).fit(train.X, train.y, train.qid)
    coef, curves = np.zeros(data.n_features), {"training": list[float](), "test": list[float]()}
    for step in model.history_:
        coef[step.feature] += step.alpha
        for name, part in (("training", train), ("test", test)):
            curves[name].append(evaluate(part.y, part.X @ coef, part.qid, measure)[measure])
    found = evaluate(test.y, model.predict(test.X), test.qid, measure)
    by_query = dict(zip(map(str, found.qid.tolist()), found.values(measure).tolist(), strict=True))
    return {**curves, "MAP": by_query}


def _compared(found: dict[str, Row]) -> Report:
    """The models that were kept, by the test queries."""
    values = {
        name: Evaluation(np.array(list(row["MAP"])), {"MAP": np.array(list(row["MAP"].values()))}, {"MAP": 0})
        for name, row in found.items()
    }
    return compare_all(values, test="t", correction="none")


def _charts(curves: dict[str, list[float]]) -> dict[str, Callable[[], Any]]:
    rows = [
        {"round": i, "MAP": value, "stopping": name} for name, values in curves.items() for i, value in enumerate(values, 1)
    ]
    return {"MAP on the training queries of trial 1": partial(line_chart, rows, "round", "MAP", "stopping")}


def _rises_to_its_peak(outcome: Outcome) -> bool | None:
    """By the rounds that the table shows."""
    values = [row[PATIENT] for name, row in outcome.figures.items() if name.startswith("round ") and PATIENT in row]
    numbers = [value for value in values if isinstance(value, float)]
    if len(numbers) < 2:
        return None
    rising = numbers[: int(np.argmax(numbers)) + 1]
    return len(rising) > 1 and rising == sorted(rising)


def _on_training_queries(figure: str, column: str, axis: str, first: str, second: str) -> Experiment:
    measure: Callable[[Any, Rows, bool], Outcome] = partial(on_training_queries, column)
    return Experiment(
        f"adarank/{figure}",
        f"{column} on the training queries, after training by MAP or by NDCG@5",
        (LETOR, TEXT),
        measure,
        {"OHSUMED": {"axis of the figure": {"all trials": axis}}},
        tuple(is_higher(f"{column} in {trial}", first, second) for trial in TRIALS),
        "The four subsets are drawn anew. LETOR has 45 features where the paper has the 7 of its Table 2.",
    )


EXPERIMENTS = [
    _on_training_queries("figure9", "MAP", "0.30 to 0.34", MAP, NDCG),
    _on_training_queries("figure10", "NDCG@5", "0.49 to 0.53", NDCG, MAP),
    Experiment(
        "adarank/figure11",
        "Learning curve of AdaRank.MAP in trial 1",
        (LETOR, TEXT),
        learning_curve,
        {"OHSUMED": {"axis of the figure": {PATIENT: "0.29 to 0.32"}, "rounds": {PATIENT: "about 350"}}},
        (Claim("MAP on the training queries improves steadily until it reaches its peak.", _rises_to_its_peak),),
        "The paper's rule, taken literally, ends in the second or third round. “Set aside” tries the next feature where one "
        "does not improve MAP; “patient” adds it all the same, and goes on until no feature has improved MAP.",
    ),
]

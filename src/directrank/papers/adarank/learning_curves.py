"""Figures 9 to 11, section 4.5: the training measure of AdaRank, and its learning curve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...data import RankingData
from ...evaluation import Report, evaluate
from ...learners import AdaRank
from ...measures import AP
from ..claims import is_higher
from ..experiment import Claim, Experiment, Outcome
from ..line_chart import line_chart
from ..per_query import compare_rankings, mean
from ..rows import Rows
from .collection import Collection
from .letor_ohsumed import LETOR
from .protocol import MAP, N_TRIALS, NDCG, Row, Trial, run_trials, trials, tune_bm25
from .text_features import TEXT

TRIALS = tuple(f"trial {i + 1}" for i in range(N_TRIALS))

#: Number of rounds of Figure 11, and rounds whose values are in the table.
N_ROUNDS = 350
SHOWN = (1, *range(25, N_ROUNDS + 1, 25))

#: Row of Figure 11, and the largest fall of MAP that still counts as steady improvement, which is our choice.
LARGEST_FALL, TOLERANCE = "largest fall up to the peak", 0.001

#: Interpretations of "when there is no improvement, the iteration stops".
SET_ASIDE, PATIENT, LITERAL = "set aside", "patient", "literal"
READINGS: dict[str, dict[str, Any]] = {
    SET_ASIDE: {},
    PATIENT: {"early_stopping_rounds": N_ROUNDS, "tol": 0.0},
    LITERAL: {"set_aside": False},
}


def on_training_queries(column: str, collection: Collection, rows: Rows, quick: bool) -> Outcome:
    """Figures 9 and 10: a measure on the training queries, for training by MAP and by NDCG@5."""
    found = run_trials(collection, rows, quick, (MAP, NDCG))
    figures = {
        name: {f"{column} in {trial}": mean(row["training"][column]) for trial, row in zip(TRIALS, parts, strict=True)}
        for name, parts in found.items()
    }
    return Outcome(figures, remarks=collection.remarks)


def learning_curve(collection: Collection, rows: Rows, quick: bool) -> Outcome:
    """Figure 11: MAP after each round on the training and test queries of trial 1."""
    data, measure = collection.features(tune_bm25(collection, rows, quick)), collection.average_precision
    compute = partial(_curve, data, trials(data)[0], measure, N_ROUNDS // 5 if quick else N_ROUNDS)
    found = rows.get_or_compute("AdaRank.MAP on trial 1, stopping", list(READINGS), compute)
    columns = {f"{reading}{suffix}": curve[part] for reading, curve in found.items() for part, suffix in _PARTS.items()}
    figures: dict[str, dict[str, float | str]] = {
        f"round {i}": {name: values[i - 1] for name, values in columns.items() if i <= len(values)} for i in SHOWN
    }
    peaks = {name: int(np.argmax(curve["training"])) for name, curve in found.items() if curve["training"]}
    figures["peak"] = {
        f"{name}{suffix}": found[name][part][at] for name, at in peaks.items() for part, suffix in _PARTS.items()
    }
    figures[LARGEST_FALL] = {name: largest_fall(found[name]["training"]) for name in peaks}
    figures["rounds"] = {name: len(curve["training"]) for name, curve in found.items()}
    return Outcome(
        {name: row for name, row in figures.items() if row},
        _compare(found),
        charts=_charts({name: curve["training"] for name, curve in found.items()}),
        remarks=collection.remarks,
    )


_PARTS = {"training": "", "test": ", test"}


def largest_fall(curve: Sequence[float]) -> float:
    """Largest drop below the running maximum, up to the peak of the curve."""
    rising = np.array(curve[: int(np.argmax(curve)) + 1])
    return float(np.max(np.maximum.accumulate(rising) - rising))


def _curve(data: RankingData, trial: Trial, measure: AP, n_rounds: int, reading: str) -> Row:
    """Measure after each round on the training and test queries, and values per query of the final model."""
    train, test = data.select(trial.training), data.select(trial.test)
    model = AdaRank(measure, n_estimators=n_rounds, scaling="none", **READINGS[reading]).fit(train.X, train.y, train.qid)
    coef, curves = np.zeros(data.n_features), {"training": list[float](), "test": list[float]()}
    for step in model.history_:
        coef[step.info["feature"]] += step.info["alpha"]
        for name, part in (("training", train), ("test", test)):
            curves[name].append(evaluate(part.y, part.X @ coef, part.qid, measure)[measure])
    found = evaluate(test.y, model.predict(test.X), test.qid, measure)
    by_query = dict(zip(map(str, found.qid.tolist()), found.values(measure).tolist(), strict=True))
    return {**curves, "MAP": by_query}


def _compare(found: dict[str, Row]) -> Report:
    """Compare the final models on the test queries."""
    return compare_rankings({name: row["MAP"] for name, row in found.items()}, "MAP", test="t", correction="none")


def _charts(curves: dict[str, list[float]]) -> dict[str, Callable[[], Any]]:
    rows = [
        {"round": i, "MAP": value, "stopping": name} for name, values in curves.items() for i, value in enumerate(values, 1)
    ]
    return {"MAP on the training queries of trial 1": partial(line_chart, rows, "round", "MAP", "stopping")}


def _rises_to_its_peak(reading: str) -> Claim:
    """Claim on all rounds; a single round cannot decide it."""

    def holds(outcome: Outcome) -> bool | None:
        first, peak, fall, rounds = (
            outcome.figures.get(row, {}).get(reading) for row in ("round 1", "peak", LARGEST_FALL, "rounds")
        )
        if first is None or peak is None or fall is None or rounds in (None, 1):
            return None
        return float(peak) > float(first) and float(fall) <= TOLERANCE

    return Claim(
        f"MAP on the training queries improves steadily until it reaches its peak (“{reading}”; up to there no round is "
        f"below an earlier one by more than {TOLERANCE}).",
        holds,
    )


def _on_training_queries(figure: str, column: str, axis: str, first: str, second: str) -> Experiment:
    measure: Callable[[Any, Rows, bool], Outcome] = partial(on_training_queries, column)
    return Experiment(
        f"adarank/{figure}",
        f"{column} on the training queries, for training by MAP or by NDCG@5",
        (LETOR, TEXT),
        measure,
        {"OHSUMED": {"axis of the figure": {"all trials": axis}}},
        tuple(is_higher(f"{column} in {trial}", first, second) for trial in TRIALS),
        "The four subsets are drawn again. LETOR has 45 features where the paper has the 7 of its Table 2.",
        has_report=False,
    )


EXPERIMENTS = [
    _on_training_queries("figure9", "MAP", "0.30 to 0.34", MAP, NDCG),
    _on_training_queries("figure10", "NDCG@5", "0.49 to 0.53", NDCG, MAP),
    Experiment(
        "adarank/figure11",
        "Learning curve of AdaRank.MAP in trial 1",
        (LETOR, TEXT),
        learning_curve,
        {"OHSUMED": {"axis of MAP": {PATIENT: "0.29 to 0.32"}, "axis of the rounds": {PATIENT: "0 to 350"}}},
        (_rises_to_its_peak(SET_ASIDE), _rises_to_its_peak(PATIENT)),
        "The paper does not explain its number of rounds. Taken literally, its rule ends training with the first round that "
        "does not improve MAP and discards that round; “rounds” counts the others. “Set aside”, the interpretation of all "
        "other figures, then tries the next feature; “patient” adds the feature before setting it aside. Both end when no "
        "feature is left.",
    ),
]

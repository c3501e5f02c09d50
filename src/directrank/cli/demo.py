"""``directrank demo``: the main job on data it makes up."""

from __future__ import annotations

from typing import Annotated

import typer

from ..data import RankingData, make_ranking, train_validation_test
from ..evaluation import Evaluation
from ..evaluation import evaluate as evaluate_scores
from .evaluate import without_relevant
from .output import print_json, print_line, print_table, progress

DEMO_MEASURES = ["AP", "nDCG@10", "RR", "P@5", "AUC", "MAUC"]


def demo(
    measure: Annotated[str, typer.Option("--measure", "-m", help="The measure you are judged by.")] = "AP",
    queries: Annotated[int, typer.Option(help="How many queries to make up.", min=3)] = 500,
    seed: Annotated[int, typer.Option(help="The same seed makes the same data.", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Rank a data set that is made up on the spot, by each single feature, and compare by test queries."""
    data = make_ranking(queries, random_state=seed)
    train, _, test = train_validation_test(data, random_state=seed)
    measures = [measure, *(m for m in DEMO_MEASURES if m != measure)]
    chosen = _single_features(train, test, measures)
    if as_json:
        print_json({name: result.means for name, result in chosen.items()})
        return
    print_line(f"Made up: {data}")
    print_line(f"Split by query: {train.n_queries} to train, {test.n_queries} to test.")
    _print(chosen, f"Each feature alone, best {measure} on the training queries first; means over the test queries")
    for line in without_relevant(next(iter(chosen.values()))):
        print_line(line)
    print_line("Your own data: directrank describe DATA, then directrank evaluate DATA --scores FILE")


def _single_features(train: RankingData, test: RankingData, measures: list[str]) -> dict[str, Evaluation]:
    """Each feature as a ranking of the test queries, by falling quality on the training queries."""
    names = train.feature_names or []
    quality, results = {}, {}
    for j, name in enumerate(progress(names, "Ranking by each feature")):
        quality[name] = next(iter(evaluate_scores(train.y, train.X[:, j], train.qid, measures[:1]).means.values()))
        results[name] = evaluate_scores(test.y, test.X[:, j], test.qid, measures)
    return {name: results[name] for name in sorted(results, key=lambda n: -quality[n])}


def _print(results: dict[str, Evaluation], title: str) -> None:
    columns = list(next(iter(results.values())).per_query)
    print_table(["ranking by", *columns], [(name, *result.means.values()) for name, result in results.items()], title)

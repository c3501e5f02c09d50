"""``directrank demo``: the main job on data it makes up."""

from __future__ import annotations

from typing import Annotated

import typer

from ..data import RankingData, make_ranking, train_validation_test
from ..evaluation import Evaluation
from ..evaluation import evaluate as evaluate_scores
from ..learners import AdaRank, CoordinateAscent, LambdaMART, OneVsRestSVM, RankBoost, RankSVM, SVMRanker
from ..measures import parse
from .evaluate import without_relevant
from .output import print_json, print_line, print_table, progress

DEMO_MEASURES = ["AP", "nDCG@10", "RR", "P@5", "AUC", "MAUC"]


def demo(
    measure: Annotated[str, typer.Option("--measure", "-m", help="The measure you are judged by.")] = "AP",
    queries: Annotated[int, typer.Option(help="How many queries to make up.", min=3)] = 500,
    seed: Annotated[int, typer.Option(help="The same seed makes the same data.", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Train the learners on a data set that is made up on the spot, and compare them and each single feature."""
    data = make_ranking(queries, random_state=seed)
    train, validation, test = train_validation_test(data, random_state=seed)
    measures = [measure, *(m for m in DEMO_MEASURES if parse(m) != parse(measure))]
    features = _single_features(train, test, measures)
    learned = _learned(train, validation, test, measures)
    if as_json:
        print_json({name: result.means for name, result in (learned | features).items()})
        return
    print_line(f"Made up: {data}")
    print_line(f"Split by query: {train.n_queries} to train, {validation.n_queries} to validate, {test.n_queries} to test.")
    _print(learned, "Learned, C and the number of rounds by the validation queries; means over the test queries")
    _print(features, f"Each feature alone, best {measure} on the training queries first")
    for line in without_relevant(next(iter(features.values()))):
        print_line(line)
    print_line("Your own data: directrank describe DATA, then directrank train DATA --measure AP -o model.json")


def _single_features(train: RankingData, test: RankingData, measures: list[str]) -> dict[str, Evaluation]:
    """Each feature as a ranking of the test queries, by falling quality on the training queries."""
    names = train.feature_names or []
    quality, results = {}, {}
    for j, name in enumerate(progress(names, "Ranking by each feature")):
        quality[name] = next(iter(evaluate_scores(train.y, train.X[:, j], train.qid, measures[:1]).means.values()))
        results[name] = evaluate_scores(test.y, test.X[:, j], test.qid, measures)
    return {name: results[name] for name in sorted(results, key=lambda n: -quality[n])}


def _learned(train: RankingData, validation: RankingData, test: RankingData, measures: list[str]) -> dict[str, Evaluation]:
    """Each learner's ranking of the test queries."""
    models = {
        f"SVMRanker({measures[0]})": SVMRanker(measures[0], C="auto"),
        f"AdaRank({measures[0]})": AdaRank(measures[0]),
        f"CoordinateAscent({measures[0]})": CoordinateAscent(measures[0]),
        f"LambdaMART({measures[0]})": LambdaMART(measures[0], num_leaves=7, learning_rate=0.05),
        "RankSVM": RankSVM(C="auto"),
        "RankBoost": RankBoost(measure=measures[0]),
        "OneVsRestSVM": OneVsRestSVM(C="auto"),
    }
    results = {}
    for name in progress(list(models), "Training"):
        model = models[name].fit(train.X, train.y, train.qid, eval_set=(validation.X, validation.y, validation.qid))
        results[name] = evaluate_scores(test.y, model.predict(test.X), test.qid, measures)
    return results


def _print(results: dict[str, Evaluation], title: str) -> None:
    columns = list(next(iter(results.values())).per_query)
    print_table(["ranking by", *columns], [(name, *result.means.values()) for name, result in results.items()], title)
